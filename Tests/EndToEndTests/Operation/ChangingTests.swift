import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Changes the configuration of a running server by `apus set` and by SIGHUP.
    @Suite(.serialized, .sharesMachine)
    struct Changing {
        /// A configuration file, the control socket beside it, and the server that uses them.
        private struct Setting {
            let folder: TemporaryFolder
            let server: ServerProcess

            var file: String { folder.file("apus.yml") }

            func write(_ paths: String) throws { try Changing.write(paths, in: folder) }

            /// Runs `apus set`.
            func set(_ arguments: String...) async throws -> Command.Outcome {
                try await Command.run(
                    [ServerProcess.binary(), "set", "--config", file] + arguments, within: 10)
            }

            /// Sends SIGHUP and waits until the log contains `line`.
            func reload(until line: String) async -> Bool {
                let before = server.log.utf8.count
                server.command.signal(SIGHUP)
                return await eventually(within: 5) {
                    server.log.utf8.dropFirst(before).count > 0 && server.log.contains(line)
                }
            }
        }

        private static let small = "video: { width: 320, height: 180, bitrate: 400000, gopMilliseconds: 10000 }"

        private static func write(_ paths: String, in folder: TemporaryFolder) throws {
            try folder.write(
                "control: { socket: \(folder.file("control/socket")) }\npaths:\n\(paths)", to: "apus.yml")
        }

        private func serving(_ paths: String, _ body: (Setting) async throws -> Void) async throws {
            let folder = try TemporaryFolder()
            try Self.write(paths, in: folder)
            try await withServer("--config", folder.file("apus.yml")) { server in
                try await body(Setting(folder: folder, server: server))
            }
            #expect(
                !FileManager.default.fileExists(atPath: folder.file("control/socket")), "the server removes its socket")
        }

        @Test func aSettingTakesEffectAtOnceAndViewersStayConnected() async throws {
            try await serving("  cam: { \(Self.small) }\n") { setting in
                #expect(try await setting.server.isServing())
                let viewer = try RTSPSocket(port: setting.server.port)
                #expect(try viewer.play(setting.server.url()).answer.status == 200)
                let done = try await setting.set("cam", "video.width=640", "video.height=360", "title=Yard: north")
                #expect(done.status == 0, "\(done.diagnostics)")
                #expect(
                    done.text == """
                        /cam: title: changed for new viewers
                        /cam: video.width, video.height: changed; viewers stay connected

                        """)
                let seen = viewer.watch(for: 2)
                #expect(seen.missing == 0 && seen.packets > 60)
                let description = try RTSPSocket(port: setting.server.port).request("DESCRIBE", setting.server.url())
                #expect(description.body.contains("s=Yard: north"))
                let size = try await Command.run([
                    "ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-show_entries", "stream=width,height",
                    "-select_streams",
                    "v", "-of", "csv=p=0", setting.server.url(),
                ])
                #expect(size.text.hasPrefix("640,360"), "\(size.diagnostics)")
            }
        }

        @Test func aWrongSettingIsReportedAndChangesNothing() async throws {
            try await serving("  cam: { \(Self.small) }\n") { setting in
                for (arguments, reason) in [
                    (["cam", "vidoe.width=640"], "apus: vidoe: no such option; did you mean `video`?\n"),
                    (
                        ["cam", "title=a", "video.width=641"],
                        "apus: paths.cam.video.width: must be even, and 641 is odd\n"
                    ),
                    (["dor", "title=a"], "apus: there is no path /dor; the server has /cam\n"),
                ] {
                    let outcome = try await setting.set(
                        arguments[0], arguments[1], arguments.count > 2 ? arguments[2] : "title=b")
                    #expect(outcome.status == 1)
                    #expect(outcome.errors == reason)
                }
                let same = try await setting.set("/cam", "video.width=320")
                #expect(same.status == 0 && same.text.contains("nothing has changed"), "\(same.diagnostics)")
            }
        }

        @Test func withoutAServerTheErrorNamesTheSocket() async throws {
            let folder = try TemporaryFolder()
            try Self.write("  cam: {}\n", in: folder)
            let outcome = try await Command.run(
                [ServerProcess.binary(), "set", "--config", folder.file("apus.yml"), "cam", "title=a"], within: 10)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("no server listens at \(folder.file("control/socket"))"),
                "\(outcome.diagnostics)"
            )
        }

        @Test func aReloadLeavesOtherStreamsWithoutAGap() async throws {
            try await serving("  cam: { \(Self.small) }\n  door: { \(Self.small) }\n") { setting in
                #expect(try await setting.server.isServing("cam"))
                #expect(try await setting.server.isServing("door"))
                let viewers = try ["cam", "door"].map { path in
                    let viewer = try RTSPSocket(port: setting.server.port)
                    #expect(try viewer.play(setting.server.url(path)).answer.status == 200)
                    return viewer
                }
                #expect(try await setting.set("cam", "title=Set").status == 0)

                try setting.write("  cam: { \(Self.small) }\n  yard: { \(Self.small) }\n")
                #expect(await setting.reload(until: "/yard: is served now"))
                #expect(await setting.server.logs("/door: is no longer served"))
                let seen = viewers[0].watch(for: 2)
                #expect(seen.missing == 0 && seen.packets > 60)
                _ = viewers[1].watch(for: 5)
                #expect(viewers[1].isClosed)
                #expect(try await setting.server.isServing("yard"))
                // A setting that is not in the file is lost.
                let description = try RTSPSocket(port: setting.server.port).request("DESCRIBE", setting.server.url())
                #expect(description.body.contains("s=cam\r\n"))
            }
        }

        @Test func aReloadOfAnInvalidConfigurationKeepsTheOldOne() async throws {
            try await serving("  cam: { \(Self.small) }\n") { setting in
                #expect(try await setting.server.isServing())
                let viewer = try RTSPSocket(port: setting.server.port)
                #expect(try viewer.play(setting.server.url()).answer.status == 200)
                try setting.write("  door: { vidoe: {} }\n")
                #expect(await setting.reload(until: "the configuration was not changed"))
                #expect(
                    await setting.server.logs(
                        "apus.yml:3:11: paths.door.vidoe: no such option; did you mean `video`?"),
                    "\(setting.server.log)")
                let seen = viewer.watch(for: 1)
                #expect(seen.missing == 0 && seen.packets > 30)
            }
        }

        @Test func privacyMasksInPixelsKeepTheirReferenceSize() async throws {
            let masks = "effects: { privacyMasks: [[0, 0, 64, 180]] }"
            try await serving("  cam: { \(Self.small), \(masks) }\n") { setting in
                let refused = try await setting.set("cam", "video.width=640")
                #expect(refused.status == 1)
                #expect(refused.errors.contains("in pixels of 320x180"), "\(refused.diagnostics)")
                let done = try await setting.set("cam", "video.width=640", "effects.privacyMasks=[[0, 0, 128, 180]]")
                #expect(done.status == 0 && done.text.contains("viewers stay"), "\(done.diagnostics)")
                #expect(await setting.reload(until: "configuration reloaded"))
                // The mask in the file differs from the one that was set.
                #expect(!setting.server.log.contains("which were those of"))
                try setting.write("  cam: { \(Self.small.replacing("320", with: "480")), \(masks) }\n")
                #expect(await setting.reload(until: "the size has changed from 320x180 to 480x180"))
            }
        }

        @Test func anEncoderSettingOfAPassthroughSourceIsReportedAsWithoutEffect() async throws {
            let clip = try await Clip.plain.path()
            try await serving("  film: { source: \(clip) }\n") { setting in
                #expect(try await setting.server.isServing("film"))
                let outcome = try await setting.set("film", "video.bitrate=75000")
                #expect(
                    outcome.text == "/film: video.bitrate: stored, without effect: Apus does not encode this source\n",
                    "\(outcome.diagnostics)")
            }
        }

        /// A filter that is being tested may wait for input for ever; that must not delay signals or the end.
        @Test(arguments: [ChangeMethod.set, .file])
        func aServerThatTestsFiltersStillHandlesSignals(_ method: ChangeMethod) async throws {
            let folder = try TemporaryFolder()
            let (file, fifo) = (folder.file("apus.yml"), folder.file("picture"))
            #expect(mkfifo(fifo, 0o600) == 0)
            let filters = "movie=\(fifo)[p];[in][p]overlay"
            try Self.write("  cam: { \(Self.small) }\n", in: folder)
            var (writer, set): (FileHandle?, Command?) = (nil, nil)
            try await withServer("--config", file) { server in
                switch method {
                case .set:
                    set = try Command([
                        ServerProcess.binary(), "set", "--config", file, "cam", "effects.filters=\(filters)",
                    ])
                case .file:
                    try Self.write("  cam: { \(Self.small), effects: { filters: \"\(filters)\" } }\n", in: folder)
                    server.command.signal(SIGHUP)
                }
                writer = try await Self.writer(of: fifo)
                server.command.signal(SIGUSR1)
                #expect(await eventually(within: 2) { server.log.contains("stream status") })
            }
            if let set { #expect(await set.finish(within: 5).status == 1) }
            try writer?.close()
        }

        /// The two ways to change a running server.
        enum ChangeMethod { case set, file }

        /// Opens a fifo for writing, once another process reads it.
        private static func writer(of fifo: String) async throws -> FileHandle {
            var writer: Int32 = -1
            _ = await eventually(within: 10) {
                writer = open(fifo, O_WRONLY | O_NONBLOCK)
                return writer >= 0
            }
            try #require(writer >= 0)
            return FileHandle(fileDescriptor: writer, closeOnDealloc: true)
        }

        @Test func aReloadWithoutAConfigurationFileIsLogged() async throws {
            try await withServer("testcard") { server in
                server.command.signal(SIGHUP)
                #expect(
                    await eventually(within: 5) { server.log.contains("there is no configuration file to reload") })
                try await Client.ffprobe.watch(server.url(), over: "tcp")
            }
        }

        @Test func aPlayerKeepsDecodingAfterAChangeOfSource() async throws {
            let clip = try await Clip.plain.path()
            try await serving("  cam: { \(Self.small) }\n") { setting in
                #expect(try await setting.server.isServing())
                let player = try Command(
                    Client.ffmpeg(setting.server.url(), over: "tcp", options: ["-xerror"])
                        + ["-map", "0:v", "-frames:v", "150", "-f", "null", "-"])
                #expect(await eventually(within: 5) { setting.server.log.contains("joined") })
                let done = try await setting.set("cam", "source=\(clip)")
                #expect(
                    done.text
                        == "/cam: source: the source starts again; viewers stay connected unless its tracks change\n",
                    "\(done.diagnostics)")
                let outcome = await player.finish(within: 20)
                #expect(outcome.status == 0, "\(outcome.diagnostics)")
                #expect(setting.server.log.components(separatedBy: "joined").count == 2, "no viewer had to reconnect")
            }
        }

        /// Two servers with one socket path: the second leaves the socket of the first, but replaces that of a killed server.
        @Test func theSocketOfAKilledServerIsReplaced() async throws {
            let folder = try TemporaryFolder()
            try Self.write("  cam: { \(Self.small) }\n", in: folder)
            let killed = try await ServerProcess.start(["--config", folder.file("apus.yml")])
            let second = try await ServerProcess.start(["--config", folder.file("apus.yml")])
            #expect(await second.logs("another server uses \(folder.file("control/socket"))"))
            await second.stop()
            killed.command.signal(SIGKILL)
            _ = await killed.command.finish(within: 5)
            #expect(FileManager.default.fileExists(atPath: folder.file("control/socket")))
            try await withServer("--config", folder.file("apus.yml")) { server in
                let done = try await Setting(folder: folder, server: server).set("cam", "title=a")
                #expect(done.status == 0, "\(done.diagnostics)")
            }
        }
    }
}
