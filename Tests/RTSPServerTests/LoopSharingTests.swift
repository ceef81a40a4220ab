import RTSPServer
import TestSupport
import Testing

/// How viewers are spread over event loops.
@Suite(.serialized)
struct LoopSharingTests {
    private func watch(_ broadcast: Broadcast) throws -> RTSPSocket {
        let client = try RTSPSocket(port: broadcast.port)
        let (session, _) = try broadcast.setUp(on: client, "RTP/AVP/TCP;unicast;interleaved=0-1")
        #expect(try client.request("PLAY", broadcast.url, session).status == 200)
        return client
    }

    @Test func allLoopsServeTheSameNumberOfViewers() async throws {
        try await Broadcast.run({ $0.loopCount = 3 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewers = try (0..<12).map { _ in try watch(broadcast) }
            #expect(broadcast.server.connectionCounts == [4, 4, 4])
            // Each is sent at least the first frame.
            let isServed = await eventually(within: 20) {
                await broadcast.server.statistics().allSatisfy { $0.packets >= 4 }
            }
            #expect(isServed)
            withExtendedLifetime(viewers) {}
        }
    }

    @Test func newViewersFillTheLoopThatOthersHaveLeft() async throws {
        try await Broadcast.run({ $0.loopCount = 2 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            var viewers = try (0..<8).map { _ in try watch(broadcast) }
            // The loops got them in turn. All viewers of one loop leave.
            for index in stride(from: 6, through: 0, by: -2) { viewers.remove(at: index) }
            #expect(await eventually(within: 20) { broadcast.server.connectionCounts == [0, 4] })
            viewers += try (0..<4).map { _ in try watch(broadcast) }
            #expect(broadcast.server.connectionCounts == [4, 4])
        }
    }
}
