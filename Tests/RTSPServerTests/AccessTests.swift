import RTSP
import RTSPServer
import TestSupport
import Testing

/// Access policies on the real server.
@Suite(.serialized)
struct AccessTests {
    private static let interleaved = "RTP/AVP/TCP;unicast;interleaved=0-1"

    /// Permits all clients except those from `denied`.
    private func policy(denied: String) throws -> AccessPolicy {
        AccessPolicy(
            realm: "Apus", users: [], addresses: AddressRules(denied: [try #require(AddressBlock(denied))]),
            hashes: { nil }, random: { 0 })
    }

    @Test func aViewerThatLosesItsPermissionGetsAByeAndIsDisconnected() async throws {
        try await Broadcast.run({ $0.loopCount = 2 }) { broadcast in
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let viewers = try (0..<2).map { _ in try RTSPSocket(port: broadcast.port) }
            for viewer in viewers {
                let (session, _) = try broadcast.setUp(on: viewer, Self.interleaved)
                #expect(try viewer.request("PLAY", broadcast.url, session).status == 200)
            }
            // Other viewers are not affected.
            broadcast.server.admit(by: try policy(denied: "192.0.2.0/24"))
            await broadcast.server.reviewSessions()
            for viewer in viewers {
                #expect(try viewer.request("OPTIONS", broadcast.url).status == 200)
            }
            broadcast.server.admit(by: try policy(denied: "127.0.0.0/8"))
            await broadcast.server.reviewSessions()
            for viewer in viewers {
                var last: RTSPSocket.Frame?
                while let frame = viewer.frame(within: 5) { last = frame }
                #expect(viewer.isClosed)
                #expect(last?.controlTypes == [201, 202, 203])
            }
            #expect(try RTSPSocket(port: broadcast.port).request("DESCRIBE", broadcast.url).status == 403)
            broadcast.server.admit(by: nil)
            #expect(try RTSPSocket(port: broadcast.port).request("DESCRIBE", broadcast.url).status == 200)
        }
    }
}
