import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `index.mp4` in real players, and what happens to its clients when sources come and go.
    @Suite(.serialized, .sharesMachineForLong)
    struct EndlessFiles {
        @Test func theTestCardPlaysInEveryClient() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                for client in Client.allCases where client.isInstalled {
                    try await client.watchOverHTTP(server.fileURL(), log: server.log)
                }
            }
        }

        @Test(.enabled(if: VLC.isInstalled, "needs VLC")) func theTestCardPlaysInVLC() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let vlc = try VLC(playing: server.fileURL())
                let seen = try await vlc.statistics(within: 20) {
                    $0.displayedFrames >= 60 && $0.playedAudioBuffers >= 60
                }
                #expect(seen != nil, "\(vlc.log.suffix(30))")
                #expect(try await vlc.quit().status == 0)
            }
        }

        @Test(arguments: [(Clip.plain, "h264"), (.bFrames, "h264"), (.h265, "hevc")])
        func theMediaOfAFileAreCopied(clip: Clip, format: String) async throws {
            let file = try await clip.path()
            let media = try await CopiedMedia(of: file, format: format)
            try await withServer(file, hasHTTP: true) { server in
                try await media.expectCopy(at: server.fileURL())
            }
        }

        /// Browsers get a file that is padded to the blocks in which Chromium reads. Their range is one that ffmpeg sends, too.
        @Test func aPaddedFileDecodesWithoutAnError() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let outcome = try await Command.run(
                    ["ffprobe", "-v", "warning", "-headers", "Accept-Encoding: identity\r\n", "-read_intervals", "%+3"]
                        + ["-show_entries", "frame=media_type", "-of", "csv=p=0", server.fileURL()], within: 20)
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics)")
                #expect(outcome.text.split(separator: "\n").count { $0.hasPrefix("video") } > 75)
            }
        }

        @Test func clientsThatJoinBetweenKeyframesBeginWithOneAtZero() async throws {
            let folder = try TemporaryFolder()
            try folder.write("paths: { cam: { source: testcard, video: { gopMilliseconds: 4000 } } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                try #require(try await server.isServing())
                for _ in 0..<4 {
                    let outcome = try await Command.run(
                        ["ffprobe", "-v", "error", "-read_intervals", "%+#1", "-select_streams", "v"]
                            + ["-show_entries", "packet=pts_time,dts_time,flags", "-of", "csv=p=0", server.fileURL()],
                        within: 20)
                    #expect(outcome.text.hasPrefix("0.000000,0.000000,K"), "\(outcome.diagnostics)")
                    // Another phase of the four seconds between keyframes.
                    try await Task.sleep(for: .milliseconds(700))
                }
            }
        }

        @Test func aSleepingSourceIsWoken() async throws {
            let folder = try TemporaryFolder()
            try folder.write(
                """
                log: { level: debug }
                paths: { cam: { source: "\(try await Clip.plain.path())", onDemand: true, onDemandCloseSeconds: 1 } }

                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                #expect(await server.logs("source sleeps until"))
                try await Client.ffmpeg.watchOverHTTP(server.fileURL(), log: server.log)
                #expect(
                    await eventually(within: 10) { server.log.ranges(of: "source sleeps until").count == 2 },
                    "\(server.log)")
            }
        }

        @Test func g711IsHeardAsAAC() async throws {
            try await withServer(Clip.g711.path(), hasHTTP: true) { server in
                let outcome = try await Command.run(
                    Client.ffprobe.argumentsOverHTTP(server.fileURL()), within: 30)
                let counts = outcome.text.split(separator: "\n").map { $0.split(separator: ",") }
                #expect(counts.map(\.first) == ["h264", "aac"], "\(outcome.diagnostics)")
                #expect(counts.compactMap { Int($0[1]) }.allSatisfy { $0 > 20 }, "\(outcome.text)")
            }
        }

        /// A recording on one connection has the frames of both publishers, in the order of their times.
        @Test func aClientStaysWhenThePublisherReturnsWithAnotherSize() async throws {
            let folder = try TemporaryFolder()
            try folder.write("access: { loopback: publish }\npaths: { cam: { source: publish } }\n", to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                let first = try publisher("320x180", to: server)
                defer { first.signal(SIGKILL) }
                try #require(try await server.isServing())
                let client = try Command(
                    ["curl", "-sN", "-o", folder.file("recording.mp4"), server.fileURL()], in: "/")
                try #require(await eventually(within: 10) { folder.bytes("recording.mp4").count > 50_000 })
                first.signal(SIGKILL)
                #expect(await server.logs("publisher left", within: 15))
                let count = folder.bytes("recording.mp4").count
                let second = try publisher("640x360", to: server)
                defer { second.signal(SIGKILL) }
                #expect(await eventually(within: 20) { folder.bytes("recording.mp4").count > count + 100_000 })
                #expect(client.isRunning)
                client.signal(SIGTERM)
                _ = await client.finish(within: 5)
                let frames = try await Command.run(
                    ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time,width,height"]
                        + ["-of", "csv=p=0", folder.file("recording.mp4")], within: 30
                ).text.split(separator: "\n").map { $0.split(separator: ",") }
                let sizes = frames.map { "\($0[1])x\($0[2])" }
                #expect(Set(sizes) == ["320x180", "640x360"])
                let times = frames.compactMap { Double($0[0]) }
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            }
        }

        private func publisher(_ size: String, to server: ServerProcess) throws -> Command {
            try Command(
                ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25"]
                    + ["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"]
                    + ["-g", "50", "-rtsp_transport", "tcp", "-f", "rtsp", server.url()], in: "/")
        }

        @Test func theStatusListsTheViewer() async throws {
            try await withServer("testcard", hasHTTP: true) { server in
                let client = try Command(["curl", "-sN", "-o", "/dev/null", server.fileURL()], in: "/")
                defer { client.signal(SIGKILL) }
                var shown = ""
                _ = try await eventually(within: 10) {
                    shown = try await Command.run(
                        [ServerProcess.binary(), "status", "--port", "\(server.port)"]
                    ).text
                    return shown.contains("curl/")
                }
                let line = shown.split(separator: "\n").first { $0.contains("curl/") }
                #expect(line?.contains("MP4") == true, "\(shown)")
                client.signal(SIGTERM)
                _ = await client.finish(within: 5)
                #expect(await server.logs("the client left"), "\(server.log)")
                #expect(server.log.contains("transport=MP4") && server.log.contains("client=curl/"), "\(server.log)")
            }
        }

        @Test func insideTLSTheCertificateIsThatOfRTSPS() async throws {
            let folder = try await TemporaryFolder.withCertificate()
            let (secure, other) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try folder.write(
                """
                tls: { encryption: strict, port: \(other), \(folder.certificateOptions) }
                http: { tlsPort: \(secure) }
                paths: { cam: { source: testcard } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { _ in
                let url = "https://127.0.0.1:\(secure)/cam/index.mp4?duration=2"
                let curl = ["curl", "-sS", "--retry", "20", "--retry-all-errors", "--retry-delay", "1", "--fail"]
                let trusting = try await Command.run(
                    curl + ["--cacert", folder.file("certificate.pem"), "-o", folder.file("part.mp4"), url], within: 30)
                #expect(trusting.status == 0, "\(trusting.diagnostics)")
                try await watchTwoSeconds(of: folder.file("part.mp4"))
                // 60: the certificate cannot be verified.
                let careful = try await Command.run(["curl", "-sS", "-o", "/dev/null", url], within: 30)
                #expect(careful.status == 60, "\(careful.diagnostics)")
            }
        }

        private func watchTwoSeconds(of file: String) async throws {
            let outcome = try await Command.run(Client.ffprobe.argumentsOverHTTP(file), within: 30)
            let counts = outcome.text.split(separator: "\n").compactMap {
                $0.split(separator: ",").last.flatMap { Int($0) }
            }
            #expect(outcome.status == 0 && counts.count == 2, "\(outcome.diagnostics)")
            #expect(counts.allSatisfy { $0 >= 50 }, "\(outcome.text)")
        }
    }
}
