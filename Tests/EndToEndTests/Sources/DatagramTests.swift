import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Transport streams that ffmpeg sends in UDP datagrams.
    @Suite(.serialized, .sharesMachineForLong)
    struct Datagrams {
        private static func sending(_ file: String, to url: String, _ options: [String] = []) -> [String] {
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", file, "-c", "copy"] + options
                + ["-f", "mpegts", url]
        }

        /// A player over RTSP that ends with an error unless it gets `seconds` of the stream.
        private static func watching(_ server: ServerProcess, seconds: Int) -> [String] {
            Client.ffmpeg(server.url(), over: "tcp")
                + ["-map", "0", "-c", "copy", "-t", "\(seconds)", "-f", "null", "-"]
        }

        private static func status(of server: ServerProcess) async throws -> String {
            try await Command.run([ServerProcess.binary(), "status", "--port", "\(server.port)"]).text
        }

        /// ffmpeg's datagrams have 1472 bytes, which is no number of packets, or as many as the option says.
        @Test(
            arguments: [
                (Clip.plain, "h264", ""), (.bFrames, "h264", "?pkt_size=1316"), (.h265, "hevc", "?pkt_size=1316"),
            ])
        func whatFFmpegSendsIsUnchanged(_ clip: Clip, format: String, query: String) async throws {
            let file = try await clip.path()
            let original = try await CopiedMedia(of: file, format: format)
            let url = "udp://127.0.0.1:\(try LoopbackSocket.freePort())"
            try await withServer("cam=\(url)") { server in
                let sender = try Command(Self.sending(file, to: url + query), in: "/")
                defer { sender.signal(SIGKILL) }
                #expect(try await server.isServing(within: 30), "\(sender.errors) \(server.log)")
                try await original.expectCopy(at: server.url())
            }
        }

        @Test func aSecondSenderDoesNotDisturb() async throws {
            let (file, other) = (try await Clip.plain.path(), try await Clip.bFrames.path())
            let original = try await CopiedMedia(of: file)
            let url = "udp://127.0.0.1:\(try LoopbackSocket.freePort())"
            try await withServer("cam=\(url)") { server in
                let first = try Command(Self.sending(file, to: url), in: "/")
                defer { first.signal(SIGKILL) }
                #expect(try await server.isServing(within: 30), "\(first.errors) \(server.log)")
                let second = try Command(Self.sending(other, to: url), in: "/")
                defer { second.signal(SIGKILL) }
                #expect(await server.logs("are left out"), "\(second.errors)")
                try await original.expectCopy(at: server.url())
                #expect(second.isRunning && server.log.ranges(of: "are left out").count == 1, "\(server.log)")
                let status = try await Self.status(of: server)
                #expect(status.contains("not received: datagrams from 127.0.0.1:"), "\(status)")
            }
        }

        /// A program that is started again has another port.
        @Test func viewersStayWhileTheSenderIsStartedAgain() async throws {
            let file = try await Clip.plain.path()
            let url = "udp://127.0.0.1:\(try LoopbackSocket.freePort())"
            try await withServer("cam=\(url)") { server in
                let first = try Command(Self.sending(file, to: url), in: "/")
                #expect(try await server.isServing(within: 30), "\(first.errors) \(server.log)")
                async let watching = Command.run(Self.watching(server, seconds: 12), within: 60)
                #expect(await server.logs("info     joined"))
                first.signal(SIGKILL)
                let second = try Command(Self.sending(file, to: url), in: "/")
                defer { second.signal(SIGKILL) }
                #expect(await server.logs("sends now, and no longer", within: 20), "\(server.log)")
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics) \(server.log)")
            }
        }

        /// One sender falls silent while the stream starts, another one after that; the second one returns.
        @Test func silentSendersAreReportedAndMayReturn() async throws {
            let file = try await Clip.plain.path()
            let url = "udp://127.0.0.1:\(try LoopbackSocket.freePort())"
            let other = "udp://127.0.0.1:\(try LoopbackSocket.freePort())"
            try await withServer("cam=\(url)", "short=\(other)") { server in
                let short = try await Command.run(Self.sending(file, to: other, ["-t", "0.3"]))
                #expect(short.status == 0, "\(short.diagnostics)")
                let sender = try Command(Self.sending(file, to: url), in: "/")
                defer { sender.signal(SIGKILL) }
                #expect(try await server.isServing(within: 30), "\(sender.errors) \(server.log)")
                async let watching = Command.run(Self.watching(server, seconds: 8), within: 90)
                #expect(await server.logs("info     joined"))
                sender.signal(SIGSTOP)
                let areReported = await eventually(within: 40) {
                    server.log.ranges(of: ": no datagram has come for 10 s").count == 2
                }
                sender.signal(SIGCONT)
                #expect(areReported, "\(server.log)")
                let outcome = try await watching
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.diagnostics) \(server.log)")
            }
        }

        /// A group that every host may send to, and one of which a certain host is the source.
        @Test(.enabled(if: NetworkPair.isPossible, "needs root, for network namespaces"))
        func groupsAreReceived() async throws {
            let file = try await Clip.plain.path()
            let pair = NetworkPair()
            do {
                try await pair.create()
                let server = try await ServerProcess.start(
                    [
                        "--open", "any=udp://239.77.1.1:5000?localaddr=\(pair.serverAddress)",
                        "some=udp://10.77.0.2@232.77.1.1:5000",
                    ], prefix: pair.onServer)
                let senders = try ["239.77.1.1", "232.77.1.1"].map { group in
                    let url = "udp://\(group):5000?ttl=1&pkt_size=1316"
                    return try Command(pair.onClient + Self.sending(file, to: url), in: "/")
                }
                defer { for sender in senders { sender.signal(SIGKILL) } }
                let areReceived = try await eventually(within: 30) {
                    let status = try await Command.run(
                        pair.onServer + [ServerProcess.binary(), "status", "--port", "\(server.port)"])
                    return status.text.ranges(of: "over multicast\n  capture times").count == 2
                        && status.text.ranges(of: "running for").count == 2
                }
                #expect(areReceived, "\(senders.map(\.errors)) \(server.log)")
                for path in ["any", "some"] {
                    try await Client.ffmpeg.watch(
                        server.url(path, host: pair.serverAddress), over: "tcp", prefix: pair.onClient,
                        log: server.log)
                }
                await server.stop()
            } catch {
                Issue.record(error)
            }
            await pair.remove()
        }
    }
}
