import TestSupport
import Testing

extension EndToEnd {
    /// Requests that a player may send for its own session but not for another's.
    @Suite(.serialized, .sharesMachine)
    struct Control {
        @Test func aPausedStreamSendsNothingAndContinuesAsRTPInfoSays() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let viewer = try RTSPSocket(port: server.port)
                let (session, _) = try viewer.play(server.url())
                #expect(viewer.frame(within: 5) != nil)

                let pause = try viewer.request("PAUSE", server.url(), ["Session": session])
                #expect(pause.status == 200)
                var last: [Int: UInt16] = [:]
                while let frame = viewer.frame(within: 0.5) {
                    if frame.channel % 2 == 0 { last[frame.channel] = frame.sequenceNumber }
                    try #require(last.count < 5)
                }
                // No packet for half a second, the time of fifteen frames.

                let play = try viewer.request("PLAY", server.url(), ["Session": session])
                #expect(play.status == 200)
                let information = try #require(play.header("RTP-Info"))
                let first = try #require(firstMedia(of: viewer, channel: 0))
                #expect(information.contains("seq=\(first.sequenceNumber);"), "\(information)")
                #expect(information.contains("rtptime=\(first.timestamp)"), "\(information) \(first.timestamp)")
                #expect(first.sequenceNumber == (last[0] ?? 0) &+ 1)
            }
        }

        @Test func theSessionOfAnotherClientCannotBeUsed() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let viewer = try RTSPSocket(port: server.port)
                let (session, _) = try viewer.play(server.url())
                let attacker = try RTSPSocket(port: server.port)
                for method in ["PAUSE", "PLAY", "GET_PARAMETER", "TEARDOWN"] {
                    #expect(try attacker.request(method, server.url(), ["Session": session]).status == 454, "\(method)")
                }
                let continuity = viewer.watch(for: 1)
                #expect(continuity.missing == 0)
                #expect(continuity.packets > 30)
            }
        }

        @Test func aTornDownSessionIsUnknown() async throws {
            try await withServer("testcard") { server in
                #expect(try await server.isServing())
                let viewer = try RTSPSocket(port: server.port)
                let (session, _) = try viewer.play(server.url())
                #expect(try viewer.request("TEARDOWN", server.url(), ["Session": session]).status == 200)
                #expect(try viewer.request("PLAY", server.url(), ["Session": session]).status == 454)
            }
        }

        private func firstMedia(of viewer: RTSPSocket, channel: Int) -> RTSPSocket.Frame? {
            while let frame = viewer.frame(within: 5) {
                if frame.channel == channel { return frame }
            }
            return nil
        }
    }
}

/// The continuity of an interleaved stream.
struct Continuity {
    var packets = 0
    /// The number of missing sequence numbers.
    var missing = 0
    /// The longest time between two packets.
    var longestSilence = Duration.zero
}

extension RTSPSocket {
    /// Reads for `seconds` and counts gaps.
    func watch(for seconds: Double) -> Continuity {
        var seen = Continuity()
        var next: [Int: UInt16] = [:]
        let deadline = ContinuousClock.now + .seconds(seconds)
        var last = ContinuousClock.now
        while ContinuousClock.now < deadline, let frame = frame(within: 5) {
            guard frame.channel % 2 == 0 else { continue }
            let now = ContinuousClock.now
            seen.longestSilence = max(seen.longestSilence, now - last)
            last = now
            seen.packets += 1
            if let expected = next[frame.channel] { seen.missing += Int(frame.sequenceNumber &- expected) }
            next[frame.channel] = frame.sequenceNumber &+ 1
        }
        return seen
    }
}
