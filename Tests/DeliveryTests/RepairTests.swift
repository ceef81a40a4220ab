import Media
import RTP
import SRTP
import Streams
import Synchronization
import Testing

@testable import Delivery

/// Lost packets are sent again: as they were, or in a stream of their own.
@Suite(.serialized)
struct RepairTests {
    private static let ssrc = HeaderRewriter.fixture.ssrc

    /// A viewer that has joined with a fast start and then received some frames.
    private struct Playing: ~Copyable {
        let broadcast = Broadcast()
        var client: UDPClient
        /// What it was sent first.
        let sent: [[UInt8]]

        init(
            usesGSO: Bool = true, repair: TrackRepair, rewriter: HeaderRewriter = .fixture,
            protection: TrackProtection? = nil
        ) throws {
            client = try UDPClient(usesGSO: usesGSO, rewriter: rewriter, protection: protection, repair: repair)
            broadcast.publish(idr: true, byteCount: 9_000)
            #expect(broadcast.start(client.viewer))
            broadcast.turn(after: 20)
            for _ in 0..<3 {
                broadcast.publish(byteCount: 5_000)
                broadcast.turn(after: 40)
            }
            sent = client.packetBytes()
        }

        /// Asks for packets by their numbers after the first.
        mutating func received(afterLossOf indices: [Int], of media: SSRC = ssrc) -> [[UInt8]] {
            let lost = indices.map {
                Feedback.LostPackets(first: HeaderRewriter.fixture.nextSequenceNumber.advanced(by: $0))
            }
            for start in stride(from: 0, to: lost.count, by: ViewerRepair.maximumRequestCount) {
                let rest = lost[start..<min(lost.count, start + ViewerRepair.maximumRequestCount)]
                broadcast.delivery.receivedRequest(
                    for: Array(rest), of: media, by: client.viewer, at: broadcast.now)
            }
            broadcast.turn()
            return client.packetBytes()
        }
    }

    @Test(arguments: [true, false], [HeaderRewriter.fixture, .sendingCaptureTime])
    func everyPacketIsSentAgainAsItWas(usesGSO: Bool, rewriter: HeaderRewriter) throws {
        var playing = try Playing(usesGSO: usesGSO, repair: TrackRepair(.libavformat), rewriter: rewriter)
        #expect(playing.sent.count == 20)
        #expect(playing.received(afterLossOf: Array(0..<20)) == playing.sent)
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.lost == 20 && counts.retransmitted == 20 && counts.requests == 2)
        #expect(playing.broadcast.delivery.statistics.retransmittedPackets == 20)
        // The frames that follow continue the numbers.
        playing.broadcast.publish(byteCount: 1_000)
        playing.broadcast.turn(after: 40)
        let next = playing.client.packets().map(\.header.sequenceNumber)
        #expect(next == [HeaderRewriter.fixture.nextSequenceNumber.advanced(by: 20)])
    }

    /// Other bytes under the same number would reuse the key stream of the first ones.
    @Test(arguments: CipherSuite.allCases)
    func underSRTPTheSameBytesAreSentAgain(suite: CipherSuite) throws {
        var playing = try Playing(
            repair: TrackRepair(.libavformat), rewriter: .sendingCaptureTime, protection: .fixture(suite))
        #expect(playing.received(afterLossOf: Array(0..<20)) == playing.sent)
    }

    @Test(arguments: [HeaderRewriter.fixture, .sendingCaptureTime])
    func aStreamOfItsOwnCarriesTheOriginalNumberAndPayload(rewriter: HeaderRewriter) throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(0xB6B6), firstSequenceNumber: SequenceNumber(65_535),
            timestampOffset: 77, extensions: rewriter.extensions)
        var playing = try Playing(
            repair: TrackRepair(.gStreamer, stream: stream, protection: nil), rewriter: rewriter)
        let first = playing.sent.compactMap(Packet.init)
        let again = playing.received(afterLossOf: [3, 4, 19]).compactMap(Packet.init)
        #expect(again.count == 3)
        for (index, original) in [3, 4, 19].enumerated() {
            let (packet, original) = (again[index], first[original])
            #expect(packet.header.ssrc == SSRC(0xB6B6) && packet.header.payloadType == PayloadType(lowBitsOf: 112))
            #expect(packet.header.sequenceNumber == SequenceNumber(65_535).advanced(by: index))
            #expect(packet.header.timestamp == original.header.timestamp)
            #expect(packet.header.isMarked == original.header.isMarked)
            let number = original.header.sequenceNumber.rawValue
            #expect(packet.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + original.payload)
        }
    }

    @Test(arguments: CipherSuite.allCases)
    func underSRTPAStreamOfItsOwnHasItsOwnCiphertext(suite: CipherSuite) throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(0xB6B6), firstSequenceNumber: SequenceNumber(7),
            timestampOffset: 77)
        let key = MasterKey.fixture(suite)
        let incoming = try IncomingPackets(SenderKey(key, rolloverCounters: [:]))
        var playing = try Playing(
            repair: TrackRepair(
                .gStreamer, stream: stream, protection: try OutgoingProtection(key, ssrc: stream.ssrc.rawValue)),
            protection: .fixture(suite))
        let plain = try Playing(repair: TrackRepair(.libavformat)).sent.compactMap(Packet.init)
        let again = playing.received(afterLossOf: Array(0..<20))
        #expect(again.count == 20)
        for (index, bytes) in again.enumerated() {
            guard let opened = incoming.opened(bytes.rawSpan) else {
                Issue.record("not authentic")
                continue
            }
            #expect(Packet([UInt8](opened)).map { Array($0.payload.dropFirst(2)) } == plain[index].payload)
            #expect(bytes.suffix(40) != playing.sent[index].suffix(40))
        }
    }

    @Test func aPacketIsSentAgainOncePerInterval() throws {
        var playing = try Playing(repair: TrackRepair(.libavformat))
        #expect(playing.received(afterLossOf: [5, 5]).count == 1)
        playing.broadcast.turn(after: 100)
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        playing.broadcast.turn(after: 110)
        // Now it is too late: libavformat has given it up.
        #expect(playing.received(afterLossOf: [5, 6]).isEmpty)
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.lost == 1 && counts.ignored == 2 && counts.tooLate == 2)
    }

    @Test func gStreamerMayAskAgainAfterARoundTrip() throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: 0)
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: stream, protection: nil))
        for _ in 0..<4 {
            #expect(playing.received(afterLossOf: [5]).count == 1)
            playing.broadcast.turn(after: 25)
        }
        #expect(playing.client.viewer.repair?.counts.lost == 1)
        #expect(playing.client.viewer.repair?.counts.retransmitted == 4)
    }

    @Test func aRequestThatCrossesThePacketIsIgnored() throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: 0)
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: stream, protection: nil))
        // The client has had a sender report 60 ms ago, and has answered at once.
        let sent = playing.broadcast.stream.clock.ntpTime(of: playing.broadcast.now.advanced(byMilliseconds: -60))
        let report = ReportBlock(
            ssrc: Self.ssrc, fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0, jitter: 0,
            lastSenderReport: sent.middle, delaySinceLastSenderReport: 0)
        playing.broadcast.delivery.received(report, of: playing.client.viewer, at: playing.broadcast.now)
        #expect(playing.received(afterLossOf: [5]).count == 1)
        playing.broadcast.turn(after: 60)
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        playing.broadcast.turn(after: 10)
        #expect(playing.received(afterLossOf: [5]).count == 1)
    }

    @Test func whatWasNeverSentIsIgnored() throws {
        var playing = try Playing(repair: TrackRepair(.libavformat))
        #expect(playing.received(afterLossOf: [20, 21, 30_000]).isEmpty)
        #expect(playing.received(afterLossOf: [1], of: SSRC(0xDEAD)).isEmpty)
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.ignored == 3 && counts.ignoredRequests == 1 && counts.lost == 0)
    }

    @Test func aFloodOfRequestsCostsNoMoreThanTheBudget() throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: 0)
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: stream, protection: nil))
        var count = 0
        for _ in 0..<20 {
            count += playing.received(afterLossOf: Array(0..<20)).count
            playing.broadcast.turn(after: 21)
        }
        // A quarter of 420 ms of a stream of 200 kB/s is 15 packets; the burst is 93 kB.
        #expect((64...110).contains(count))
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.overBudget >= 290 && counts.retransmitted == UInt64(count))
        // The packets that are looked up are limited, too.
        for _ in 0..<100 { _ = playing.received(afterLossOf: Array(0..<20)) }
        #expect(playing.client.viewer.repair?.counts.ignoredRequests ?? 0 >= 100)
    }

    @Test func aFastStartIsForgottenAfterASecond() throws {
        let stream = HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: 0)
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: stream, protection: nil))
        #expect(!playing.client.viewer.follower.fastStart.isEmpty)
        for _ in 0..<60 {
            playing.broadcast.publish(byteCount: 500)
            playing.broadcast.turn(after: 40)
        }
        #expect(playing.client.viewer.follower.fastStart.isEmpty)
        _ = playing.client.packetBytes()
        #expect(playing.received(afterLossOf: [0]).isEmpty)
    }

    @Test func aViewerThatPlaysAgainIsNotSentPacketsOfTheFormerPlay() throws {
        var playing = try Playing(repair: TrackRepair(.libavformat))
        playing.broadcast.delivery.pause(playing.client.viewer)
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        #expect(playing.broadcast.start(playing.client.viewer))
        playing.broadcast.turn(after: 10)
        _ = playing.client.packetBytes()
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        // But those of the present one.
        #expect(playing.received(afterLossOf: [22]).count == 1)
    }
}

/// Clients that cannot ask for lost packets are sent copies.
@Suite(.serialized)
struct CopiesTests {
    private let lossReport = ReportBlock(
        ssrc: HeaderRewriter.fixture.ssrc, fractionLost: 3, cumulativeLost: 1, extendedHighestSequenceNumber: 0,
        jitter: 0, lastSenderReport: 0, delaySinceLastSenderReport: 0)

    @Test(arguments: [true, false])
    func copiesOfAFrameFollowTheNextOneWhileLossesAreReported(usesGSO: Bool) throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: usesGSO, repair: TrackRepair(.behindNextFrame))
        broadcast.publish(idr: true, byteCount: 9_000)
        #expect(broadcast.start(client.viewer))
        broadcast.publish(byteCount: 5_000)
        broadcast.turn(after: 40)
        let clean = client.packetBytes()
        #expect(clean.count == 12)
        broadcast.delivery.received(lossReport, of: client.viewer, at: broadcast.now)
        broadcast.publish(byteCount: 3_000)
        broadcast.turn(after: 40)
        let next = client.packetBytes()
        #expect(Array(next.dropFirst(3)) == Array(clean.suffix(4)))
        broadcast.publish(byteCount: 100)
        broadcast.turn(after: 40)
        let last = client.packetBytes()
        #expect(last.count == 4 && Array(last.dropFirst()) == Array(next.prefix(3)))
        #expect(broadcast.delivery.statistics.duplicatedPackets == 7)
    }

    /// After a rollback, other packets may get the numbers. Copies of the former ones would be wrong, and under SRTP reveal both.
    @Test func noCopyIsSentOfAFrameThatWasTakenBack() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true, repair: TrackRepair(.behindNextFrame))
        let viewer = client.viewer
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(viewer))
        broadcast.delivery.received(lossReport, of: viewer, at: broadcast.now)
        broadcast.publish(byteCount: 5_000)
        let audience = try #require(broadcast.delivery.audience(of: viewer))
        audience.feed.update(&audience.view.reader)
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        transmitter.serve(viewer, in: audience.view)
        transmitter.rollBack(client.ports.shared.batch.rollBack())
        // The viewer leaves the frame out, so that the next one gets its numbers.
        viewer.follower.advance()
        broadcast.publish(idr: true, byteCount: 3_000)
        broadcast.turn(after: 40)
        broadcast.publish(byteCount: 100)
        broadcast.turn(after: 40)
        let payloads = Dictionary(grouping: client.packets(), by: \.header.sequenceNumber.rawValue)
        #expect(payloads.count >= 5)
        #expect(payloads.values.allSatisfy { packets in Set(packets.map(\.payload)).count == 1 })
    }

    @Test func eachPacketOfATransportStreamIsSentTwiceInSuccession() throws {
        let broadcast = Broadcast()
        var plain = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        var client = try UDPClient(
            usesGSO: true, encapsulation: .transportStream, repair: TrackRepair(.inSuccession))
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(plain.viewer) && broadcast.start(client.viewer))
        for _ in 0..<5 {
            broadcast.publish(byteCount: 9_000)
            broadcast.turn(after: 40)
        }
        let packets = client.packetBytes()
        #expect(packets.count > 40)
        #expect(packets == plain.packetBytes().flatMap { [$0, $0] })
    }
}

/// Losses that clients report make the encoder send a keyframe.
@Suite(.serialized)
struct ReportedLossTests {
    private final class CountingSource: Streams.Source {
        let count = Atomic(0)
        func requestKeyframe() { count.add(1, ordering: .relaxed) }
    }

    private func report(_ lost: Int32, of ssrc: SSRC = HeaderRewriter.fixture.ssrc) -> ReportBlock {
        ReportBlock(
            ssrc: ssrc, fractionLost: 3, cumulativeLost: lost, extendedHighestSequenceNumber: 0, jitter: 0,
            lastSenderReport: 0, delaySinceLastSenderReport: 0)
    }

    @Test func growingLossRequestsAtMostOneKeyframePerSecond() throws {
        let broadcast = Broadcast()
        let source = CountingSource()
        broadcast.stream.attach(source)
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let loss = { (lost: Int32) in broadcast.delivery.received(report(lost), of: client.viewer, at: broadcast.now) }
        loss(0)
        #expect(source.count.load(ordering: .relaxed) == 0)
        loss(2)
        #expect(source.count.load(ordering: .relaxed) == 1)
        // While a keyframe is pending, and without new losses, nothing more is requested.
        loss(3)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        loss(3)
        #expect(source.count.load(ordering: .relaxed) == 1)
        // The next is requested after a second.
        loss(4)
        broadcast.turn(after: 100)
        #expect(source.count.load(ordering: .relaxed) == 1)
        broadcast.turn(after: 900)
        #expect(source.count.load(ordering: .relaxed) == 2)
    }

    @Test func aRegularKeyframeMakesALaterRequestUnnecessary() throws {
        let broadcast = Broadcast()
        let source = CountingSource()
        broadcast.stream.attach(source)
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.delivery.received(report(1), of: client.viewer, at: broadcast.now)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        broadcast.delivery.received(report(2), of: client.viewer, at: broadcast.now)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        broadcast.turn(after: 1_000)
        #expect(source.count.load(ordering: .relaxed) == 1)
    }

    /// A client that reports losses all the time costs the others one keyframe per second at most, and reports of other streams cost
    /// nothing.
    @Test func reportsThatLieAreBounded() throws {
        let broadcast = Broadcast()
        let source = CountingSource()
        broadcast.stream.attach(source)
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        for lost in 1...1_000 {
            broadcast.delivery.received(report(Int32(lost)), of: client.viewer, at: broadcast.now)
            broadcast.delivery.received(report(Int32(lost), of: SSRC(9)), of: client.viewer, at: broadcast.now)
            broadcast.delivery.requestKeyframe(for: client.viewer, at: broadcast.now)
            broadcast.publish(idr: true, byteCount: 500)
            broadcast.turn(after: 10)
        }
        #expect((5...21).contains(source.count.load(ordering: .relaxed)))
    }
}
