import CLinux
import Media
import RTP
import Reactor
import Streams
import Testing

@testable import Delivery

@Suite(.serialized)
struct UDPDeliveryTests {
    @Test(arguments: [true, false])
    func everyPacketArrivesWithContiguousNumbers(usesGSO: Bool) throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: usesGSO)
        broadcast.publish(idr: true, byteCount: 9_000)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<5 {
            broadcast.publish(byteCount: 5_000)
            broadcast.turn(after: 40)
        }
        let packets = client.packets()
        #expect(packets.count == 1 + 7 + 5 * 4)
        for (index, packet) in packets.enumerated() {
            #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
            #expect(packet.header.ssrc == SSRC(0xA5A5))
        }
        #expect(packets.count { $0.header.isMarked } == 6)
        #expect(packets[0].payload.first.map { $0 & 0x1F } == 24)
    }

    @Test func eachFragmentedSliceIsOneMessageAndParameterSetsAreAnother() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.turn(after: 40)
        var before = broadcast.delivery.statistics
        broadcast.publish(byteCount: 40_000)
        broadcast.turn(after: 40)
        #expect(broadcast.delivery.statistics.messages - before.messages == 1)
        #expect(broadcast.delivery.statistics.packets - before.packets == 29)
        before = broadcast.delivery.statistics
        broadcast.publish(idr: true, byteCount: 40_000)
        broadcast.turn(after: 40)
        #expect(broadcast.delivery.statistics.messages - before.messages == 2)
        #expect(broadcast.delivery.statistics.systemCalls - before.systemCalls == 1)
    }

    @Test func oneCallCarriesTheGSOBatchesOfManyViewers() throws {
        let broadcast = Broadcast()
        let first = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(first.viewer))
        // More viewers of the same loop, which send to the same client through the same sockets.
        for _ in 2...100 {
            let viewer = Viewer(canonicalName: "test", trackCount: 1, output: nil, at: broadcast.now)
            viewer.setUp(TrackID(0), as: try #require(first.viewer.tracks[0]))
            #expect(broadcast.start(viewer))
        }
        broadcast.turn(after: 40)
        let before = broadcast.delivery.statistics
        broadcast.publish(byteCount: 9_000)
        broadcast.turn(after: 40)
        let after = broadcast.delivery.statistics
        #expect(after.messages - before.messages == 100)
        #expect(after.systemCalls - before.systemCalls == 1)
        #expect(after.units - before.units == 100)
    }

    @Test func aRouteThatRefusesGSOGetsDatagramsAndOthersKeepGSO() throws {
        let broadcast = Broadcast()
        var refused = try UDPClient(usesGSO: true)
        guard refused.ports.family == .ipv6 else { return }  // One socket must serve two routes.
        var other = try UDPClient(usesGSO: true, family: .ipv6, by: refused.ports)
        // Without checksums the kernel refuses GSO (EINVAL); the option exists for IPv4 only.
        var isOn: Int32 = 1
        setsockopt(refused.ports.pair.rtp.fd, SOL_SOCKET, SO_NO_CHECK, &isOn, socklen_t(MemoryLayout<Int32>.size))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(refused.viewer) && broadcast.start(other.viewer))
        for frame in 0..<3 {
            let before = broadcast.delivery.statistics
            broadcast.publish(byteCount: 9_000)
            broadcast.turn(after: 40)
            let done = broadcast.delivery.statistics.since(before)
            #expect(done.packets == 14 && done.refusedMessages == 0)
            // The first GSO batch is split after it was refused; later ones are not made.
            #expect(done.messages == (frame == 0 ? 2 : 8))
        }
        for packets in [refused.packets(), other.packets()] {
            #expect(packets.map(\.header.sequenceNumber) == (0..<23).map { SequenceNumber(65_530).advanced(by: $0) })
            #expect(packets.count { $0.header.isMarked } == 4)
        }
    }

    @Test func rollingBackRestoresPositionsAndCounts() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        broadcast.turn(after: 40)
        broadcast.publish(byteCount: 9_000)
        let audience = try #require(broadcast.delivery.audience(of: client.viewer))
        audience.feed.update(&audience.view.reader)
        let (position, numbers) = (client.viewer.follower.position, client.viewer.tracks[0]?.rewriter)
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        client.viewer.follower.resumed()
        transmitter.serve(client.viewer, in: audience.view)
        #expect(transmitter.statistics.packets == 7 && transmitter.statistics.units == 1)
        transmitter.rollBack(client.ports.shared.batch.rollBack())
        #expect(transmitter.statistics == DeliveryStatistics())
        #expect(client.viewer.follower.position == position && client.viewer.tracks[0]?.rewriter == numbers)
    }

    @Test func rollingBackAudioKeepsTheViewerWaitingForAKeyframe() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let audience = try #require(broadcast.delivery.audience(of: client.viewer))
        guard let track = client.viewer.tracks[0], case .udp(let route) = track.transport else { return }
        let run = try #require(audience.view.output(at: 0))
        for isAwaiting in [true, false] {
            // The content of the message does not matter, only that the viewer was waiting when it was added.
            _ = client.ports.shared.batch.append(
                0..<1, of: run, track.rewriter.headers(of: run, ticks: 0), nil, to: route,
                from: SendBatch.Origin(
                    owner: Unmanaged.passUnretained(client.viewer).toOpaque(),
                    checkpoint: .init(position: client.viewer.follower.position, isAwaitingKeyframe: isAwaiting)))
        }
        Transmitter(policy: SlowViewerPolicy()).rollBack(client.ports.shared.batch.rollBack())
        #expect(client.viewer.follower.isAwaitingKeyframe)
    }

    @Test func aReportPrecedesTheFirstPacketAndMapsLiveTime() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.delivery.join(client.viewer, stream: broadcast.stream, options: .init(), at: broadcast.now))
        let reports = client.reports()
        #expect(client.packets().isEmpty)
        guard case .senderReport(let report) = reports.first?.packets.first else {
            Issue.record("no sender report")
            return
        }
        let now = MediaTime(nanoseconds: broadcast.now - broadcast.stream.epoch, rate: .video)
        #expect(report.rtpTimestamp == now.rtpTicks &+ 77)
        let wall = WallClock.unixNanoseconds()
        #expect(abs(report.ntpTime.unixNanoseconds - wall) < 2_000_000_000)
    }

    @Test func aFastStartHasCompressedTimestampsAndIsPacedWithoutLoss() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 60_000)
        for _ in 0..<60 { broadcast.publish(byteCount: 6_000) }
        #expect(broadcast.start(client.viewer))
        let first = client.packets()
        #expect(first.reduce(0) { $0 + $1.payload.count } < 40_000)
        var packets = first
        for _ in 0..<100 {
            broadcast.turn(after: 2)
            packets += client.packets()
        }
        #expect(packets.count { $0.header.isMarked } == 61)
        for (index, packet) in packets.enumerated() {
            #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
        }
        let newest = UInt32(60 * 3_600 + 77)
        #expect(packets.last?.header.timestamp == newest)
        #expect(packets.first?.header.timestamp == newest - 10_800)
    }

    @Test func withoutAFastStartTheViewerStartsAtAKeyframe() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.publish(byteCount: 500)
        #expect(broadcast.start(client.viewer, mode: .keyframe))
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 40)
        #expect(client.packets().isEmpty)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 80)
        let timestamps: [UInt32] = [3 * 3_600 + 77, 3 * 3_600 + 77, 4 * 3_600 + 77]
        #expect(client.packets().map(\.header.timestamp) == timestamps)
    }

    @Test func aLateBurstOfASourceReachesViewersThatKeptUp() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<30 { broadcast.publish(byteCount: 500) }
        broadcast.turn(after: 1_200)
        #expect(client.packets().count { $0.header.isMarked } == 31)
        #expect(client.viewer.droppedUnits == 0)
    }

    @Test func theEndOfASessionIsABye() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        _ = client.reports()
        broadcast.delivery.end(client.viewer, at: broadcast.now)
        let last = client.reports().last?.packets.last
        #expect(last == .goodbye(Goodbye(sources: [SSRC(0xA5A5)])))
        #expect(broadcast.delivery.viewerCount == 0)
    }

    @Test func aViewerMadeForOtherTracksDoesNotJoin() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        // Its stream had two tracks when it was set up. When it plays, there is only one.
        let viewer = Viewer(canonicalName: "test", trackCount: 2, output: nil, at: broadcast.now)
        viewer.setUp(TrackID(0), as: try #require(client.viewer.tracks[0]))
        viewer.setUp(TrackID(1), as: try #require(client.viewer.tracks[0]))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(!broadcast.start(viewer))
        #expect(broadcast.delivery.viewerCount == 0)
    }

    @Test func aSkippedFastStartIsKeptUntilItsPacketsHaveLeft() throws {
        let broadcast = Broadcast()
        let client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 40_000)
        #expect(broadcast.start(client.viewer))
        // The pacer has split the frame in two. Before the rest is sent, the viewer falls too far behind.
        #expect(client.viewer.follower.position.offset > 0)
        for _ in 0..<30 { broadcast.publish(byteCount: 500) }
        let audience = try #require(broadcast.delivery.audience(of: client.viewer))
        audience.feed.update(&audience.view.reader)
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now.advanced(byMilliseconds: 600))
        transmitter.serve(client.viewer, in: audience.view)
        #expect(client.viewer.droppedUnits > 0)
        #expect(client.ports.shared.batch.messageCount > 0)
        #expect(!client.viewer.follower.fastStart.isEmpty && !client.viewer.follower.isInFastStart)
        transmitter.flush()
        transmitter.serve(client.viewer, in: audience.view)
        #expect(client.viewer.follower.fastStart.isEmpty)
    }
}
