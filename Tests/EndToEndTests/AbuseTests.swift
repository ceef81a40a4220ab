import TestSupport
import Testing

extension EndToEnd {
    /// One abuser costs no one else anything: the others' viewers, counted by `apus bench viewers`, miss no packet.
    @Suite(.serialized)
    struct Abuse {
        @Test func garbageOnThePortLeavesViewersWithoutAGap() async throws {
            try await unharmed { server in
                var random = SplitMix64(seed: 8_554)
                for length in [1, 7, 100, 5_000, 40_000] {
                    try RTSPSocket(port: server.port).send(random.bytes(length))
                }
                for line in Self.malice {
                    let socket = try RTSPSocket(port: server.port)
                    socket.send(line)
                    _ = socket.response(within: 0.1)
                }
            }
        }

        @Test func aViewerThatStopsReadingDisturbsNobody() async throws {
            try await unharmed { server in
                let stalled = try RTSPSocket(port: server.port)
                _ = try stalled.play(server.url())
                // It is kept, unread, until the others are done.
                return stalled
            }
        }

        @Test func viewersThatVanishDisturbNobody() async throws {
            try await unharmed { server in
                for _ in 0..<40 { _ = try RTSPSocket(port: server.port).play(server.url()) }
            }
        }

        private static let malice = [
            "DESCRIBE rtsp://x/cam RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "DESCRIBE rtsp://x/cam RTSP/1.0\r\nCSeq: 1\r\nContent-Length: -1\r\n\r\n",
            "OPTIONS * RTSP/9.9\r\nCSeq: 4294967296\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "SETUP rtsp://x/cam/streamid=99999999999999 RTSP/1.0\r\nCSeq: 1\r\nTransport: RTP/AVP;client_port=1-0\r\n\r\n",
            "SETUP rtsp://x/cam RTSP/1.0\r\nCSeq: 1\r\nTransport: RTP/AVP/TCP;interleaved=255-256\r\n\r\n",
            "PLAY rtsp://x/cam RTSP/1.0\r\nCSeq: 1\r\nRange: npt=1e999-\r\nSession: %00\r\n\r\n",
            String(repeating: "A", count: 70_000),
            "$\u{0}\u{ff}\u{ff}" + String(repeating: "$", count: 3_000),
            String(repeating: "\r\n", count: 5_000),
        ]

        /// Lets two viewers over UDP and two over TCP watch while `abuse` goes on.
        private func unharmed<Traces>(_ abuse: (ServerProcess) async throws -> Traces) async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isOnAir())
                let viewers = try ["udp", "tcp"].map { try steadyViewers(of: server, over: $0) }
                #expect(await eventually(within: 5) { server.log.split(separator: "joined").count > 4 })
                let traces = try await abuse(server)
                for viewer in viewers {
                    let outcome = await viewer.finish(within: 20)
                    #expect(outcome.status == 0, "\(outcome.complaint) \(outcome.text)")
                }
                withExtendedLifetime(traces) {}
                // And the door is open still.
                #expect(try RTSPSocket(port: server.port).request("OPTIONS", "*").status == 200)
            }
        }

        private func steadyViewers(of server: ServerProcess, over transport: String) throws -> Command {
            try Command(
                [ServerProcess.binary(), "bench", "viewers", "--url", server.url(), "--count", "2"]
                    + ["--transport", transport, "--seconds", "6", "--fail-on-gap"])
        }
    }
}
