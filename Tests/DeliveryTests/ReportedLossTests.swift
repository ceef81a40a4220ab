import Media
import RTP
import SRTP
import Streams
import Testing

@testable import Delivery

/// Losses that clients report make the encoder send a keyframe.
@Suite(.serialized)
struct ReportedLossTests {
    private func broadcast() -> (Broadcast, CountingSource) {
        let (broadcast, source) = (Broadcast(), CountingSource())
        broadcast.stream.attach(source)
        broadcast.publish(idr: true, byteCount: 500)
        return (broadcast, source)
    }

    private func report(_ lost: Int32, of ssrc: SSRC = HeaderRewriter.fixture.ssrc) -> ReportBlock {
        ReportBlock(
            ssrc: ssrc, fractionLost: 3, cumulativeLost: lost, extendedHighestSequenceNumber: 0, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
    }

    @Test func growingLossRequestsAtMostOneKeyframePerSecond() throws {
        let (broadcast, source) = broadcast()
        let client = try UDPClient(usesGSO: true)
        #expect(broadcast.start(client.viewer))
        let loss = { (lost: Int32) in broadcast.delivery.received(report(lost), of: client.viewer, at: broadcast.now) }
        loss(0)
        #expect(source.requestCount == 0)
        loss(2)
        #expect(source.requestCount == 1)
        // While a keyframe is pending, and without new losses, nothing more is requested.
        loss(3)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        loss(3)
        #expect(source.requestCount == 1)
        // The next is requested after a second.
        loss(4)
        broadcast.turn(after: 100)
        #expect(source.requestCount == 1)
        broadcast.turn(after: 900)
        #expect(source.requestCount == 2)
    }

    @Test func aRegularKeyframeMakesALaterRequestUnnecessary() throws {
        let (broadcast, source) = broadcast()
        let client = try UDPClient(usesGSO: true)
        #expect(broadcast.start(client.viewer))
        broadcast.delivery.received(report(1), of: client.viewer, at: broadcast.now)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        broadcast.delivery.received(report(2), of: client.viewer, at: broadcast.now)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        broadcast.turn(after: 1_000)
        #expect(source.requestCount == 1)
    }

    /// A client that reports losses all the time costs the others one keyframe per second at most, and reports of other streams cost
    /// nothing.
    @Test func reportsThatLieAreBounded() throws {
        let (broadcast, source) = broadcast()
        let client = try UDPClient(usesGSO: true)
        #expect(broadcast.start(client.viewer))
        for lost in 1...1_000 {
            broadcast.delivery.received(report(Int32(lost)), of: client.viewer, at: broadcast.now)
            broadcast.delivery.received(report(Int32(lost), of: SSRC(9)), of: client.viewer, at: broadcast.now)
            broadcast.delivery.requestKeyframe(for: client.viewer, at: broadcast.now)
            broadcast.publish(idr: true, byteCount: 500)
            broadcast.turn(after: 10)
        }
        #expect((5...21).contains(source.requestCount))
    }
}
