import Media
import RTP
import RateControl
import Streams
import TestSupport
import Testing

@testable import Delivery

/// An encoder follows what the viewers of its stream can receive.
@Suite(.serialized)
struct RateTests {
    private static let settings = EncoderRate.Settings(
        limits: RateLimits(
            minimum: DataRate(bitsPerSecond: 100_000), maximum: DataRate(bitsPerSecond: 1_000_000)))

    private func broadcast() -> (Broadcast, FollowingSource) {
        let (broadcast, source) = (Broadcast(), FollowingSource())
        broadcast.stream.attach(source)
        broadcast.stream.setRates(Self.settings)
        return (broadcast, source)
    }

    /// Plays for some seconds at 25 frames per second; `each` runs after each frame.
    private func play(_ broadcast: Broadcast, seconds: Int, each: (Int) -> Void = { _ in }) {
        for frame in 0..<(seconds * 25) {
            broadcast.publish(idr: frame % 50 == 0, byteCount: 4_000)
            broadcast.turn(after: 40)
            each(frame)
        }
    }

    @Test func aConnectionThatTakesNothingLowersTheBitrateUntilItsViewerLeaves() throws {
        let (broadcast, source) = broadcast()
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        // What its client reads in the first two seconds is its fast start.
        play(broadcast, seconds: 5)
        #expect(source.last.map { $0 < 700_000 } == true)
        #expect(client.viewer.network.capacity.map { $0.rate.bitsPerSecond < 800_000 } == true)
        broadcast.delivery.pause(client.viewer)
        #expect(source.last == 1_000_000)
    }

    @Test func lossesThatRepairCannotKeepUpWithLowerTheBitrate() throws {
        let (broadcast, source) = broadcast()
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        play(broadcast, seconds: 5) { frame in
            guard frame % 25 == 24, let track = client.viewer.tracks[0] else { return }
            let sent = track.packetIndex
            let report = ReportBlock(
                ssrc: track.rewriter.ssrc, fractionLost: 64, cumulativeLost: Int32(sent - 65_530) / 4,
                extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: sent), jitter: 0, lastSenderReport: 0,
                delaySinceLastSenderReport: 0)
            broadcast.delivery.received(report, of: client.viewer, at: broadcast.now)
        }
        #expect(source.last.map { $0 < 900_000 } == true)
    }

    @Test func oneSlowViewerOfTenChangesNothing() throws {
        let (broadcast, source) = broadcast()
        let first = try UDPClient(usesGSO: true)
        // More viewers of the same loop, which send to the same client through the same sockets.
        let clients =
            try [first.viewer]
            + (0..<8).map { _ in
                let viewer = Viewer(canonicalName: "test", trackCount: 1, output: nil, at: broadcast.now)
                viewer.setUp(TrackID(0), as: try #require(first.viewer.tracks[0]))
                return viewer
            }
        let slow = try TCPClient()
        broadcast.publish(idr: true, byteCount: 500)
        for viewer in clients + [slow.viewer] { #expect(broadcast.start(viewer)) }
        play(broadcast, seconds: 6)
        #expect(slow.viewer.network.capacity.map { $0.rate.bitsPerSecond < 900_000 } == true)
        #expect(source.last == nil || source.last == 1_000_000)
    }

    @Test func transportWideFeedbackOfAGrowingQueueLowersTheBitrate() throws {
        let (broadcast, source) = broadcast()
        broadcast.publish(idr: true, byteCount: 500)
        // The path carries 400 kbit/s: a packet of 1 300 bytes every 26 ms.
        try playToFeedback(broadcast, packetTime: 26_000_000, frames: 250)
        #expect(source.last.map { $0 < 600_000 } == true)
    }

    /// 18 frames at once are a queue of 300 ms, on a path that carries twice what the stream needs.
    @Test func theQueueThatAFastStartFillsIsNoCongestion() throws {
        let (broadcast, source) = broadcast()
        for frame in 0..<18 { broadcast.publish(idr: frame == 0, byteCount: 4_000) }
        try playToFeedback(broadcast, packetTime: 5_500_000, frames: 100) { viewer in
            #expect(viewer.path.map { $0.estimate.reason == .unconstrained } ?? true)
        }
        #expect(source.last == 1_000_000)
    }

    /// The path's queue drops packets that would wait for more than 100 ms, which are two thirds of the fast start.
    @Test func theLossesOfAFastStartAreNoCongestion() throws {
        let (broadcast, source) = broadcast()
        for frame in 0..<18 { broadcast.publish(idr: frame == 0, byteCount: 4_000) }
        var hasLost = false
        try playToFeedback(
            broadcast, packetTime: 5_500_000, longestQueue: 100_000_000, frames: 100,
            each: { viewer in #expect(viewer.path.map { $0.estimate.reason == .unconstrained } ?? true) },
            lost: { hasLost = true })
        #expect(hasLost && source.last == 1_000_000)
    }

    /// Plays at 25 frames per second to GStreamer, over a path that needs `packetTime` nanoseconds for each packet, and drops packets that
    /// would wait longer than `longestQueue`. `lost` runs for each of these, and `each` after each frame.
    private func playToFeedback(
        _ broadcast: Broadcast, packetTime: Int64, longestQueue: Int64 = .max, frames: Int,
        each: (Viewer) -> Void = { _ in }, lost: () -> Void = {}
    ) throws {
        let rewriter = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 96), ssrc: SSRC(0xA5A5), firstSequenceNumber: SequenceNumber(65_530),
            timestampOffset: 77, extensions: HeaderExtensionLayout([.transportSequenceNumber]))
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: 77)
        var client = try UDPClient(
            usesGSO: true, rewriter: rewriter, repair: TrackRepair(.gStreamer, stream: stream, protection: nil))
        #expect(broadcast.start(client.viewer))
        var free: Int64 = 0
        for frame in 0..<frames {
            broadcast.publish(idr: frame % 50 == 0, byteCount: 4_000)
            broadcast.turn(after: 40)
            let now = broadcast.now.nanoseconds
            let numbers = client.packets().map(\.header.sequenceNumber)
            let arrivals = numbers.map { _ -> Int64? in
                guard free - now <= longestQueue else {
                    lost()
                    return nil
                }
                free = max(free, now) + packetTime
                return free
            }
            guard let base = numbers.first, now > 0 else { continue }
            broadcast.delivery.received(
                TransportFeedback(base: base, arrivals: arrivals, count: UInt8(truncatingIfNeeded: frame)),
                about: SSRC(0xA5A5), of: client.viewer, at: broadcast.now)
            each(client.viewer)
        }
    }
}
