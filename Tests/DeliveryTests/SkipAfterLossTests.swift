import Media
import RTP
import Streams
import Testing

@testable import Delivery

/// A viewer that has lost much at once continues at a keyframe that is made for it, once the network's queue is empty.
@Suite(.serialized)
struct SkipAfterLossTests {
    /// A viewer that has just been sent a fast start of a keyframe and two frames, in 17 packets.
    private struct Joined: ~Copyable {
        let broadcast = Broadcast()
        let source: CountingSource
        var client: UDPClient

        init(_ rules: RetransmissionRules = .browser, status: SourceStatus? = SourceStatus()) throws {
            source = CountingSource(status: status)
            client = try UDPClient(usesGSO: true, repair: TrackRepair(rules))
            broadcast.stream.attach(source)
            broadcast.publish(idr: true, byteCount: 11_000)
            for _ in 0..<2 { broadcast.publish(byteCount: 5_500) }
            #expect(broadcast.start(client.viewer))
            for _ in 0..<10 { broadcast.turn(after: 2) }
            #expect(client.packets().count == 17)
        }

        /// - Returns: the packets that are sent then.
        mutating func lose(_ count: Int, after milliseconds: Int64 = 0) throws -> [Packet] {
            try broadcast.receivedRequest(forLast: 1...count, of: client.viewer)
            broadcast.turn(after: milliseconds)
            return client.packets()
        }

        var requestCount: Int { source.requestCount }
    }

    @Test func theKeyframeIsMadeOnceTheQueueIsEmptyAndNothingIsSentUntilThen() throws {
        var joined = try Joined()
        #expect(try joined.lose(8).isEmpty)
        #expect(joined.client.viewer.follower.isAwaitingKeyframe && joined.requestCount == 0)
        joined.broadcast.publish(byteCount: 500)
        joined.broadcast.turn(after: 60)
        #expect(joined.requestCount == 0)
        joined.broadcast.turn(after: 60)
        #expect(joined.requestCount == 1)
        #expect(joined.client.packets().isEmpty && joined.client.viewer.droppedUnits == 1)
        joined.broadcast.publish(idr: true, byteCount: 500)
        joined.broadcast.turn(after: 20)
        #expect(joined.client.packets().count == 2 && !joined.client.viewer.follower.isAwaitingKeyframe)
        // What was sent before stays replaced, and what is sent now is repaired.
        #expect(try joined.lose(4, after: 1).count == 2)
        #expect(joined.requestCount == 1)
    }

    @Test func fewLostPacketsAreSentAgain() throws {
        var joined = try Joined()
        #expect(try joined.lose(7).count == 7)
        #expect(!joined.client.viewer.follower.isAwaitingKeyframe && joined.requestCount == 0)
    }

    @Test func aViewerSkipsOncePerSecond() throws {
        var joined = try Joined()
        #expect(try joined.lose(8).isEmpty)
        joined.broadcast.publish(idr: true, byteCount: 11_000)
        joined.broadcast.turn(after: 40)
        #expect(joined.client.packets().count >= 8)
        #expect(try joined.lose(8, after: 1).count == 8)
        #expect(!joined.client.viewer.follower.isAwaitingKeyframe)
    }

    @Test func withoutAnEncoderAndForClientsThatAskForLatePacketsAllIsSentAgain() throws {
        var file = try Joined(status: nil)
        #expect(try file.lose(8).count == 8)
        var gStreamer = try Joined(.gStreamer)
        #expect(try gStreamer.lose(8).count == 8)
        #expect(!file.client.viewer.follower.isAwaitingKeyframe && !gStreamer.client.viewer.follower.isAwaitingKeyframe)
    }
}
