import Media
import RTP
import RateControl
import SRTP
import Streams
import Synchronization
import Testing

@testable import Delivery

/// Lost packets are sent again: as they were, or in a stream of their own.
@Suite(.serialized)
struct RepairTests {
    private static let ssrc = HeaderRewriter.fixture.ssrc

    /// The first header of a stream for retransmissions.
    private static func separate() -> HeaderRewriter {
        HeaderRewriter(
            payloadType: PayloadType(lowBitsOf: 112), ssrc: SSRC(1), firstSequenceNumber: SequenceNumber(1),
            timestampOffset: HeaderRewriter.fixture.timestampOffset)
    }

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

        /// Makes the browser know the round trip.
        func begunLongAgo() {
            client.viewer.phase = .playing(since: broadcast.now.advanced(byMilliseconds: -3_000))
        }

        /// A path on which a packet has arrived so many milliseconds later than the fastest.
        func pathWithQueue(of milliseconds: Int64) -> ViewerPath {
            let limits = RateLimits(
                minimum: DataRate(bitsPerSecond: 0), maximum: DataRate(bitsPerSecond: 1_000_000))
            var path = ViewerPath(limits: limits, repair: .works)
            path.received(sent: broadcast.now, arrival: 0, byteCount: 500)
            path.received(sent: broadcast.now, arrival: milliseconds * 1_000_000, byteCount: 500)
            path.endOfFeedback(at: broadcast.now)
            return path
        }

        /// What it is sent with the next frame of 5 000 bytes.
        mutating func nextFrame() -> [Packet] {
            broadcast.publish(byteCount: 5_000)
            broadcast.turn(after: 40)
            return client.packets()
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

    @Test func gStreamerMayAskAgainAfterARoundTripAndIsAnsweredTwice() throws {
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: Self.separate(), protection: nil))
        for count in [1, 2, 2, 2] {
            let answers = playing.received(afterLossOf: [5])
            #expect(answers.count == count)
            // Each has a sequence number of its own.
            #expect(Set(answers.map { Array($0[2..<4]) }).count == count)
            playing.broadcast.turn(after: 25)
        }
        #expect(playing.client.viewer.repair?.counts.lost == 1)
        #expect(playing.client.viewer.repair?.counts.retransmitted == 7)
    }

    @Test func aRequestThatCrossesThePacketIsIgnored() throws {
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: Self.separate(), protection: nil))
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
        #expect(playing.received(afterLossOf: [5]).count == 2)
    }

    /// A browser repeats its requests every 20 ms, sometimes a little sooner; the second comes at any time after a round trip.
    @Test func aBrowserIsAnsweredEachTimeItAsks() throws {
        var playing = try Playing(repair: TrackRepair(.browser, stream: Self.separate(), protection: nil))
        playing.begunLongAgo()
        #expect(playing.received(afterLossOf: [5]).count == 1)
        playing.broadcast.turn(after: 9)
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        for milliseconds: Int64 in [1, 19, 19] {
            playing.broadcast.turn(after: milliseconds)
            #expect(playing.received(afterLossOf: [5]).count == 2)
        }
    }

    /// It repeats its requests only after 100 ms until it knows the round trip.
    @Test func aBrowserIsAnsweredTwiceAtFirst() throws {
        var playing = try Playing(repair: TrackRepair(.browser, stream: Self.separate(), protection: nil))
        #expect(playing.received(afterLossOf: [5]).count == 2)
        // So many at once are a full queue, which drops more then.
        #expect(playing.received(afterLossOf: Array(6..<14)).count == 8)
    }

    @Test func framesAreSentTwiceWhereALostRequestWouldBeRepeatedLate() throws {
        var playing = try Playing(repair: TrackRepair(.browser, stream: Self.separate(), protection: nil))
        // The fixture's frames had no copies, because nothing was lost.
        #expect(playing.sent.count == 20)
        #expect(playing.received(afterLossOf: [5]).count == 2)
        for _ in 0..<3 {
            let frame = playing.nextFrame()
            #expect(frame.count == 8)
            for (original, copy) in zip(frame.prefix(4), frame.dropFirst(4)) {
                #expect(original.header.ssrc == Self.ssrc && copy.header.ssrc == SSRC(1))
                #expect(copy.header.timestamp == original.header.timestamp)
                let number = original.header.sequenceNumber.rawValue
                #expect(copy.payload == [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + original.payload)
            }
        }
        #expect(playing.broadcast.delivery.statistics.duplicatedPackets == 12)
        #expect(playing.client.viewer.repair?.counts.retransmitted == 2)
        // Not into a queue.
        playing.client.viewer.path = playing.pathWithQueue(of: 80)
        #expect(playing.nextFrame().count == 4)
        playing.client.viewer.path = nil
        // Many that are lost at once are a full queue.
        #expect(playing.nextFrame().count == 8)
        #expect(playing.received(afterLossOf: Array(6..<14)).count == 8)
        #expect(playing.nextFrame().count == 4)
        playing.broadcast.turn(after: 300)
        // 9 are more than a tenth of up to 88 packets, and less of 92.
        for _ in 0..<11 { #expect(playing.nextFrame().count == 4) }
        #expect(playing.nextFrame().count == 8)
        playing.begunLongAgo()
        #expect(playing.nextFrame().count == 4)
    }

    @Test func whatIsSentAgainIntoAQueueMayArriveBeforeItIsRepeatedOnce() throws {
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: Self.separate(), protection: nil))
        playing.client.viewer.path = playing.pathWithQueue(of: 80)
        #expect(playing.received(afterLossOf: [5]).count == 1)
        playing.broadcast.turn(after: 80)
        #expect(playing.received(afterLossOf: [5]).isEmpty)
        playing.broadcast.turn(after: 10)
        #expect(playing.received(afterLossOf: [5]).count == 1)
    }

    /// GStreamer may ask only because packets are late. A browser does not.
    @Test(arguments: [(RetransmissionRules.gStreamer, 0), (.browser, 1)])
    func repairLengthensNoLongQueueInVain(rules: RetransmissionRules, count: Int) throws {
        var playing = try Playing(repair: TrackRepair(rules, stream: Self.separate(), protection: nil))
        let limits = RateLimits(minimum: DataRate(bitsPerSecond: 0), maximum: DataRate(bitsPerSecond: 1_000_000))
        var path = ViewerPath(limits: limits, repair: .works)
        // All packets but the first wait for 150 ms.
        for number in 0..<5 as Range<Int64> {
            path.received(
                sent: playing.broadcast.now + number * 60_000_000,
                arrival: number * 60_000_000 + (number == 0 ? 0 : 150_000_000), byteCount: 500)
        }
        path.endOfFeedback(at: playing.broadcast.now)
        playing.client.viewer.path = path
        #expect(playing.received(afterLossOf: [5]).count == count)
    }

    @Test func whatWasNeverSentIsIgnored() throws {
        var playing = try Playing(repair: TrackRepair(.libavformat))
        #expect(playing.received(afterLossOf: [20, 21, 30_000]).isEmpty)
        #expect(playing.received(afterLossOf: [1], of: SSRC(0xDEAD)).isEmpty)
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.ignored == 3 && counts.ignoredRequests == 1 && counts.lost == 0)
    }

    @Test func aFloodOfRequestsCostsNoMoreThanTheBudget() throws {
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: Self.separate(), protection: nil))
        var (count, byteCount) = (0, 0)
        for _ in 0..<20 {
            let answers = playing.received(afterLossOf: Array(0..<20))
            count += answers.count
            byteCount += answers.map(\.count).reduce(0, +)
            playing.broadcast.turn(after: 21)
        }
        // A quarter of 420 ms of a stream of 200 kB/s is 21 kB, and the burst is 93 kB. The last packet may exceed it.
        #expect((90_000...117_000).contains(byteCount))
        let counts = try #require(playing.client.viewer.repair?.counts)
        #expect(counts.overBudget >= 290 && counts.retransmitted == UInt64(count))
        // The packets that are looked up are limited, too.
        for _ in 0..<100 { _ = playing.received(afterLossOf: Array(0..<20)) }
        #expect(playing.client.viewer.repair?.counts.ignoredRequests ?? 0 >= 100)
    }

    @Test func aFastStartIsForgottenAfterASecond() throws {
        var playing = try Playing(repair: TrackRepair(.gStreamer, stream: Self.separate(), protection: nil))
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
