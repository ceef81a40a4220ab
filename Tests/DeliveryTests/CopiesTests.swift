import Media
import RTP
import SRTP
import Streams
import Synchronization
import Testing

@testable import Delivery

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

    /// live555's first report has a share of 254/256 with any number of lost packets. It does not look like congestion.
    @Test func theFirstReportOfLive555BeginsCopies() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true, repair: TrackRepair(.behindNextFrame))
        broadcast.publish(idr: true, byteCount: 9_000)
        #expect(broadcast.start(client.viewer))
        var sent: [[UInt8]] = []
        for _ in 0..<10 {
            broadcast.publish(byteCount: 5_000)
            broadcast.turn(after: 40)
            sent += client.packetBytes()
        }
        var report = lossReport
        report.fractionLost = 254
        broadcast.delivery.received(report, of: client.viewer, at: broadcast.now)
        broadcast.publish(byteCount: 3_000)
        broadcast.turn(after: 40)
        let hasCopies = Array(client.packetBytes().suffix(4)) == Array(sent.suffix(4))
        #expect(hasCopies && sent.count == 48)
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
