import RTSPServer
import TestSupport
import Testing

/// A recorder's first packet is a live keyframe: the fast start, with its compressed timestamps, is for players.
@Suite(.serialized)
struct RecorderTests {
    private static let player = "Lavf59.27.100"
    private static let recorder = "ZoneMinder/1.36.33"

    /// How many keyframes are requested from the source when one client joins: none if the fast start serves it.
    private func keyframeRequests(
        query: String, userAgent: String, configuring change: (inout PathOptions) -> Void = { _ in }
    ) async throws -> Int {
        var count = -1
        try await Broadcast.run { broadcast in
            var options = PathOptions(title: "camera")
            change(&options)
            broadcast.directory.insert(broadcast.stream, options: options)
            broadcast.stream.announce([Broadcast.video])
            broadcast.publish(idr: true)
            let client = try RTSPSocket(port: broadcast.port)
            let headers = ["User-Agent": userAgent]
            #expect(try client.request("DESCRIBE", broadcast.url + query, headers).status == 200)
            let answer = try client.request(
                "SETUP", "\(broadcast.url)/\(query)/track1",
                headers.merging(["Transport": "RTP/AVP/TCP;unicast;interleaved=0-1"]) { old, _ in old })
            let session = try #require(answer.header("Session")?.split(separator: ";").first.map(String.init))
            #expect(try client.request("PLAY", "\(broadcast.url)/\(query)/", ["Session": session]).status == 200)
            count = broadcast.source.requests.load(ordering: .relaxed)
        }
        return count
    }

    @Test(arguments: [
        ("", player, 0), ("?join=keyframe", player, 1), ("?join=fast", player, 0), ("", recorder, 1),
        ("?join=fast", recorder, 0),
    ])
    func theURLDecidesAndThenTheUserAgent(query: String, userAgent: String, requests: Int) async throws {
        #expect(try await keyframeRequests(query: query, userAgent: userAgent) == requests)
    }

    @Test(arguments: [("", recorder, 0), ("?join=keyframe", player, 1)])
    func aModeThatThePathSetsAppliesToRecordersToo(query: String, userAgent: String, requests: Int) async throws {
        #expect(
            try await keyframeRequests(query: query, userAgent: userAgent) { $0.join.mode = .fastStart } == requests)
        #expect(try await keyframeRequests(query: "?join=fast", userAgent: userAgent) { $0.join.mode = .keyframe } == 0)
    }
}
