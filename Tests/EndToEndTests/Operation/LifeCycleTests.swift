import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Tests the start and the end of the server.
    @Suite(.serialized, .sharesMachine)
    struct LifeCycle {
        @Test func aTakenPortIsReportedWithTheOptionToChangeIt() async throws {
            try await withServer("testcard") { server in
                let second = try await Command.run(
                    [ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(server.port)", "testcard"],
                    within: 10)
                #expect(second.status == 1)
                #expect(second.errors.contains("--port"), "\(second.diagnostics)")
            }
        }

        @Test func aServerThatWaitsForAPublisherIsReady() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { yard: { source: publish }, low: { source: 'track:yard/1' } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                let response = try HTTPSocket(port: server.httpPort).ask("GET /readyz")
                #expect(response?.text == "ready\n")
            }
        }

        /// The delay is needed because systemd restarts the service without a pause.
        @Test func aServiceWithATakenPortExitsAfterASecond() async throws {
            try await withServer("testcard") { server in
                let start = ContinuousClock.now
                let second = try await Command.run(
                    [
                        "env", "NOTIFY_SOCKET=@nobody", ServerProcess.binary(), "serve", "--http-port", "0", "--port",
                        "\(server.port)",
                        "testcard",
                    ],
                    within: 10)
                #expect(second.status == 1)
                #expect(ContinuousClock.now - start >= .seconds(1))
            }
        }

        @Test func clientsThatPublishAndWebBrowsersAreLogged() async throws {
            let server = try await ServerProcess.start(["--open", "testcard"])
            var sockets: [RTSPSocket] = []
            let description = "v=0\r\nm=video 0 RTP/AVP 96\r\n"
            for request in [
                "ANNOUNCE \(server.url()) RTSP/1.0\r\nCSeq: 1\r\nContent-Length: \(description.utf8.count)\r\n\r\n"
                    + description, "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            ] {
                let socket = try RTSPSocket(port: server.port)
                socket.send(request)
                sockets.append(socket)
            }
            #expect(await server.logs("has a source of its own"))
            #expect(await server.logs("it may be a web browser"))
            await server.stop()
        }

        /// Started like by systemd, which gives a service a runtime folder.
        @Test func aServiceThatCrashesRepeatedlyDelaysItsStart() async throws {
            let folder = try TemporaryFolder()
            let prefix = ["env", "RUNTIME_DIRECTORY=\(folder.path)"]
            for crash in 1...3 {
                let start = ContinuousClock.now
                let server = try await ServerProcess.start(["testcard"], prefix: prefix)
                // The third start follows two crashes and is therefore delayed.
                #expect(server.log.contains("starting again in") == (crash == 3), "\(server.log.prefix(300))")
                if crash == 3 { #expect(ContinuousClock.now - start >= .seconds(1)) }
                server.command.signal(SIGKILL)
                _ = await server.command.finish(within: 5)
            }
            let fourth = try Command(
                prefix + [
                    ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(LoopbackSocket.freePort())",
                    "testcard",
                ])
            #expect(await eventually(within: 10) { fourth.errors.contains("starting again in 2 s") })
            fourth.signal(SIGTERM)
            let outcome = await fourth.finish(within: 1.5)
            #expect(outcome.status == 0, "SIGTERM ends the server during the delay: \(outcome.diagnostics)")
            #expect(folder.bytes("starts").isEmpty, "a normal end clears the crash record")
        }

        @Test func aSingleMissingFileIsAnError() async throws {
            let outcome = try await Command.run(
                [
                    ServerProcess.binary(), "serve", "--http-port", "0", "--port", "\(LoopbackSocket.freePort())",
                    "/nowhere/film.mp4",
                ],
                within: 10)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("/nowhere/film.mp4"), "\(outcome.diagnostics)")
        }

        /// All dispatch queues of a process share 255 threads. The test receives systemd's notifications.
        @Test func aThousandPathsOfMissingFilesLeaveLogStatusAndWatchdogWorking() async throws {
            let (folder, socket) = (try TemporaryFolder(), try NotifySocket())
            let paths = (0..<1_000).map { "  p\($0): { source: \(folder.file("missing\($0).mp4")) }\n" }
            try folder.write("paths:\n" + paths.joined(), to: "apus.yml")
            let server = try await ServerProcess.start(
                ["--config", folder.file("apus.yml")],
                prefix: ["env", "NOTIFY_SOCKET=\(socket.name)", "WATCHDOG_USEC=2000000"])
            let isLogged = await eventually(within: 20) {
                Set(server.log.matches(of: /no file at .*path=(\/p\d+)/).map(\.1)).count == 1_000
            }
            #expect(isLogged, "\(server.log.matches(of: /no file at/).count) paths")
            let status = try await Command.run(
                [ServerProcess.binary(), "status", "--json", "--port", "\(server.port)"], within: 20)
            #expect(status.status == 0, "\(status.diagnostics)")
            #expect(status.text.matches(of: /"path" ?: ?"/).count == 1_000)
            #expect(socket.next()?.first == "READY=1")
            for _ in 0..<4 { #expect(socket.next() == ["WATCHDOG=1"]) }
            await server.stop()
        }

        /// Standard error is a full pipe that no process reads.
        @Test func aBlockedLogDelaysNoViewer() async throws {
            let folder = try TemporaryFolder()
            let stuck = "mkfifo \"$0\" && exec 2<>\"$0\" && head -c 65536 /dev/zero >&2 && exec \"$@\""
            let server = try await ServerProcess.start(["testcard"], prefix: ["bash", "-c", stuck, folder.file("log")])
            #expect(try await server.isServing())
            for _ in 0..<3 {
                let viewer = try RTSPSocket(port: server.port)
                #expect(try viewer.play(server.url()).answer.status == 200)
                #expect(viewer.frame(within: 5) != nil)
            }
            await server.stop()
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func aSignalEndsTheServerAfterRTCPBye(_ signal: Int32) async throws {
            let server = try await ServerProcess.start(["testcard"])
            #expect(try await server.isServing())
            let viewer = try RTSPSocket(port: server.port)
            #expect(try viewer.play(server.url()).answer.status == 200)
            #expect(viewer.frame(within: 5) != nil)

            let start = ContinuousClock.now
            server.command.signal(signal)
            var goodbyes: Set<Int> = []
            while let frame = viewer.frame(within: 5) {
                // 203 is BYE (RFC 3550, section 12.1).
                if frame.channel % 2 == 1, frame.controlTypes.contains(203) { goodbyes.insert(frame.channel) }
            }
            let outcome = await server.command.finish(within: 5)
            #expect(goodbyes == [1, 3])
            #expect(viewer.isClosed)
            #expect(outcome.status == 0, "\(outcome.diagnostics)")
            #expect(ContinuousClock.now - start < .seconds(1 * Sanitizer.patience))
        }

        @Test func anIdlePipeDoesNotDelayTheEnd() async throws {
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
            try await withServer("pipe=\(folder.file("pipe"))") { _ in }
        }
    }
}
