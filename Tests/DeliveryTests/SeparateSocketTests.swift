import Media
import RTP
import Reactor
import Streams
import Testing

@testable import Delivery

/// A slow device holds the buffer of the RTP socket that the viewers of a loop share.
@Suite(.serialized)
struct SeparateSocketTests {
    private func ports(maximumSeparateCount: Int) throws -> UDPPorts {
        UDPPorts(
            pair: try Reactor.RTPSocketPair.bind(evenIn: 44_002...48_000), usesGSO: true,
            maximumSeparateCount: maximumSeparateCount)
    }

    @Test func aViewerLeavesAStuckSocketAfterTwentyMilliseconds() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 4)
        var client = try UDPClient(usesGSO: true, by: ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        let first = client.packets().count
        ports.shared.becameFull(at: broadcast.now)
        broadcast.publish(byteCount: 9_000)
        broadcast.turn(after: 19)
        #expect(client.packets().isEmpty)
        #expect(ports.deadline == broadcast.now.advanced(byMilliseconds: 1))
        broadcast.turn(after: 1)
        let packets = client.datagrams()
        #expect(packets.count == 7)
        #expect(packets.allSatisfy { $0.source.port == ports.pair.port })
        let numbers = packets.compactMap { Packet($0.bytes)?.header.sequenceNumber }
        #expect(numbers == (0..<7).map { SequenceNumber(65_530).advanced(by: first + $0) })
    }

    @Test func aBufferThatIsFullForAMomentSeparatesNoViewer() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 4)
        var client = try UDPClient(usesGSO: true, by: ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        _ = client.packets()
        ports.shared.becameFull(at: broadcast.now)
        broadcast.publish(byteCount: 9_000)
        broadcast.turn(after: 19)
        ports.becameWritable()
        broadcast.turn(after: 21)
        #expect(client.packets().count == 7)
        #expect(ports.separateCount == 0)
    }

    @Test func moreHostsThanTheLimitWaitForTheSharedSocket() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 1)
        guard ports.family == .ipv6 else { return }  // The test needs two hosts: 127.0.0.1 and ::1.
        var first = try UDPClient(usesGSO: true, by: ports)
        var second = try UDPClient(usesGSO: true, family: .ipv6, by: ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(first.viewer) && broadcast.start(second.viewer))
        _ = (first.packets(), second.packets())
        ports.shared.becameFull(at: broadcast.now)
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 20)
        #expect(first.packets().count + second.packets().count == 1)
        #expect(ports.separateCount == 1)
        ports.becameWritable()
        broadcast.turn()
        #expect(first.packets().count + second.packets().count == 1)
    }

    @Test func aViewerReturnsToTheSharedSocketAfterItsOwnWasCalm() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 4)
        var client = try UDPClient(usesGSO: true, by: ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        ports.shared.becameFull(at: broadcast.now)
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 20)
        #expect(ports.separateCount == 1)
        ports.becameWritable()
        // 10 kB each 40 ms: half a megabyte after 2.1 s, but the minimum time is 5 s.
        for frame in 1...130 {
            broadcast.publish(byteCount: 10_000)
            broadcast.turn(after: 40)
            _ = client.packets()
            ports.turn(at: broadcast.now)
            if frame < 124 { #expect(ports.separateCount == 1) }
        }
        broadcast.turn(after: 1_000)
        ports.turn(at: broadcast.now)
        #expect(ports.separateCount == 0)
        #expect(ports.deadline == .distantFuture)
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 40)
        #expect(client.packets().count == 1)
    }

    @Test func theSeparateSocketOfAHostWithoutViewersIsClosed() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 4)
        do {
            let client = try UDPClient(usesGSO: true, by: ports)
            broadcast.publish(idr: true, byteCount: 500)
            #expect(broadcast.start(client.viewer))
            ports.shared.becameFull(at: broadcast.now)
            broadcast.publish(byteCount: 500)
            broadcast.turn(after: 20)
            #expect(ports.separateCount == 1)
            broadcast.delivery.end(client.viewer, at: broadcast.now)
        }
        ports.turn(at: broadcast.now.advanced(byMilliseconds: 1_000))
        #expect(ports.separateCount == 0)
    }

    @Test func afterASeparateSocketFailsTheNextAttemptComesASecondLater() throws {
        let broadcast = Broadcast()
        let ports = try ports(maximumSeparateCount: 4)
        var client = try UDPClient(usesGSO: true, by: ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        _ = client.packets()
        guard ports.family == .ipv6 else { return }
        // No local address leads to a link-local destination without a scope, so no separate socket can be used.
        let linkLocal = SocketAddress(ipv6: 0xFE80 << 112 | 1, port: 9)
        let unreachable = UDPRoute(
            destination: linkLocal, reportDestination: linkLocal.with(port: 10), source: nil, ports: ports)
        ports.shared.becameFull(at: broadcast.now)
        ports.separate(unreachable, at: broadcast.now)
        #expect(unreachable.sender.isShared && ports.separateCount == 0)
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 999)
        #expect(ports.separateCount == 0)
        broadcast.turn(after: 1)
        #expect(ports.separateCount == 1)
    }

    @Test func theFullSocketOfOneHostCausesNoChecksOfOthers() throws {
        let ports = try ports(maximumSeparateCount: 4)
        let routes = [UInt16(40_000), 40_002].map { port in
            UDPRoute(
                destination: .loopback(port == 40_000 ? .ipv4 : ports.family, port: port),
                reportDestination: .loopback(port == 40_000 ? .ipv4 : ports.family, port: port + 1), source: nil,
                ports: ports)
        }
        guard ports.family == .ipv6 else { return }  // The test needs two hosts: 127.0.0.1 and ::1.
        let start = MonotonicTime.now()
        for route in routes { ports.separate(route, at: start) }
        #expect(ports.separateCount == 2)
        let (first, second) = (routes[0].sender, routes[1].sender)
        first.becameFull(at: start)
        #expect(first.nextCheck == start.advanced(byMilliseconds: 2) && ports.deadline == first.nextCheck)
        ports.turn(at: start.advanced(byMilliseconds: 2))
        #expect(second.nextCheck == start.advanced(byMilliseconds: 1_000))
        #expect(!first.isBlocked && first.nextCheck == start.advanced(byMilliseconds: 1_002))
        #expect(ports.deadline == second.nextCheck)
        // The ports refer to routes weakly: a socket without routes would be closed.
        withExtendedLifetime(routes) {}
    }

    @Test func audioOfASeparateSocketIsSentOnceIfTheSharedOneTakesNoVideo() throws {
        let broadcast = Broadcast(hasAudio: true)
        let ports = try ports(maximumSeparateCount: 4)
        var video = try UDPClient(usesGSO: true, by: ports)
        var audio = try UDPClient(usesGSO: true, by: ports)
        let (videoTrack, audioTrack) = (video.viewer.tracks[0], audio.viewer.tracks[0])
        let routes = [video.route, audio.route]
        let (videoRoute, audioRoute) = (try #require(routes[0]), try #require(routes[1]))
        let viewer = Viewer(canonicalName: "test", trackCount: 2, output: nil, at: broadcast.now)
        viewer.setUp(TrackID(0), as: try #require(videoTrack))
        viewer.setUp(TrackID(1), as: try #require(audioTrack))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(viewer))
        _ = (video.packets(), audio.packets())
        ports.separate(audioRoute, at: broadcast.now)
        #expect(!audioRoute.sender.isShared && videoRoute.sender.isShared)
        broadcast.publish(byteCount: 9_000)
        broadcast.publishAudio(byteCount: 100)
        let audience = try #require(broadcast.delivery.audience(of: viewer))
        audience.feed.update(&audience.view.reader)
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        transmitter.serve(viewer, in: audience.view)
        // The kernel takes no messages that are still pending in the shared socket's batch.
        transmitter.rollBack(ports.shared.batch.rollBack())
        transmitter.flush()
        transmitter.serve(viewer, in: audience.view)
        transmitter.flush()
        #expect(video.packets().count == 7)
        #expect(audio.packets().count == 1)
    }

    @Test func aGSOBatchThatOneRouteRefusesIsSplitForThatRouteOnly() throws {
        let broadcast = Broadcast()
        let refused = try UDPClient(usesGSO: true)
        let other = try UDPClient(usesGSO: true, by: refused.ports)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(refused.viewer))
        broadcast.publish(byteCount: 9_000)
        let audience = try #require(broadcast.delivery.audience(of: refused.viewer))
        audience.feed.update(&audience.view.reader)
        let transmitter = Transmitter(policy: SlowViewerPolicy())
        transmitter.begin(at: broadcast.now)
        transmitter.serve(refused.viewer, in: audience.view)
        #expect(refused.ports.shared.batch.isFirstGSOBatch)
        // EIO: the device cannot checksum the packets that it splits.
        let failure = SentBatch(count: 0, error: SystemError(call: "sendmmsg", code: 5))
        _ = refused.ports.shared.process(failure, &transmitter.statistics, at: broadcast.now)
        #expect(refused.route?.usesGSO == false)
        #expect(other.route?.usesGSO == true)
    }
}
