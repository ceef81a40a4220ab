import Media
import RTP
import Reactor
import Streams
import Testing

@testable import Delivery

@Suite(.serialized)
struct TCPDeliveryTests {
    /// The contents of an interleaved byte stream: packets of channel 0, and the number of text lines between them.
    struct Contents {
        var packets: [Packet] = []
        var replyBytes = 0

        /// `nil` if a packet is cut or the framing is lost.
        init?(_ bytes: [UInt8], reply: [UInt8]) {
            var rest = bytes[...]
            while let first = rest.first {
                if first == 0x24 {
                    guard rest.count >= 4 else { return nil }
                    let start = rest.startIndex
                    let length = Int(rest[start + 2]) << 8 | Int(rest[start + 3])
                    guard rest.count >= 4 + length else { return nil }
                    if rest[start + 1] == 0, let packet = Packet([UInt8](rest[(start + 4)..<(start + 4 + length)])) {
                        packets.append(packet)
                    }
                    rest = rest.dropFirst(4 + length)
                } else {
                    guard rest.starts(with: reply) else { return nil }
                    replyBytes += reply.count
                    rest = rest.dropFirst(reply.count)
                }
            }
        }
    }

    @Test func aViewerThatIsALittleTooSlowIsNotSentFramesThatNoOtherRefersTo() throws {
        var options = DeliveryLoop.Options()
        // Long enough that what the socket's buffers hold does not matter.
        options.policy.maximumLag = 4_000_000_000
        let broadcast = Broadcast(options: options)
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        // Its client reads nothing for a while, but not so long that it would skip to a keyframe.
        for _ in 0..<60 {
            broadcast.publish(byteCount: 8_000)
            broadcast.publish(byteCount: 8_000, isDisposable: true)
            broadcast.turn(after: 80)
            if broadcast.delivery.backlog(of: client.viewer, at: broadcast.now).nanoseconds > 3_600_000_000 { break }
        }
        #expect(client.viewer.droppedUnits == 0)
        let bytes = client.catchUp(with: broadcast)
        let packets = try #require(Contents(bytes, reply: [])).packets
        let numbers = packets.map(\.header.sequenceNumber)
        #expect(numbers == numbers.indices.map { SequenceNumber(65_530).advanced(by: $0) })
        #expect(client.viewer.droppedUnits > 0)
        #expect(!client.viewer.isThinned)
    }

    @Test(arguments: [false, true])
    func aReplyIsNeverInsideAPacketAndNothingIsLostWhileTheReaderKeepsUp(isInsideTLS: Bool) throws {
        let broadcast = Broadcast()
        let ends = isInsideTLS ? try TLSDeliveryTests.ends() : nil
        let client = try TCPClient(tls: ends?.server)
        let reply = Array("RTSP/1.0 200 OK\r\n\r\n".utf8)
        broadcast.publish(idr: true, byteCount: 60_000)
        client.output.append(reply)
        #expect(broadcast.start(client.viewer))
        var bytes = client.read()
        for _ in 0..<50 {
            client.output.append(reply)
            broadcast.publish(byteCount: 20_000)
            broadcast.turn(after: 40)
            for _ in 0..<8 {
                bytes += client.read()
                broadcast.turn()
                client.output.flush(at: broadcast.now)
                broadcast.delivery.outputBecameWritable(of: client.viewer, at: broadcast.now)
            }
        }
        bytes += client.readAll()
        let clear = ends.map { TLSDeliveryTests.clear(bytes, by: $0.client) } ?? bytes
        let contents = try #require(Contents(clear, reply: reply))
        #expect(contents.replyBytes == 51 * reply.count)
        #expect(contents.packets.count { $0.header.isMarked } == 51)
        for (index, packet) in contents.packets.enumerated() {
            #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
        }
    }

    @Test func reportsUseTheNegotiatedChannel() throws {
        let broadcast = Broadcast()
        let client = try TCPClient()
        client.viewer.setUp(
            TrackID(0),
            as: ViewerTrack(
                rewriter: .fixture, transport: .interleaved(channel: 0, reportChannel: 5), clockRate: .video))
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        client.output.flush(at: broadcast.now)
        #expect(Array(client.readAll().prefix(2)) == [0x24, 5])
    }

    @Test func aViewerThatFallsBehindResumesAtAKeyframe() throws {
        let broadcast = Broadcast()
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(client.viewer))
        // Eight seconds: less than the limit that ends a session.
        for index in 1...200 {
            broadcast.publish(idr: index % 50 == 0, byteCount: 20_000)
            broadcast.turn(after: 40)
        }
        #expect(client.output.pendingByteCount < 1_500)
        let bytes = client.catchUp(with: broadcast)
        #expect(client.viewer.droppedUnits > 100)
        let contents = try #require(Contents(bytes, reply: []))
        var timestamps: [UInt32] = []
        for (index, packet) in contents.packets.enumerated() {
            #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
            if timestamps.last != packet.header.timestamp { timestamps.append(packet.header.timestamp) }
        }
        let frames = timestamps.map { Int64($0 &- 77) / 3_600 }
        for (previous, next) in zip(frames, frames.dropFirst()) where next != previous + 1 {
            // After a jump comes a keyframe: every fiftieth frame, or the one at the end.
            #expect(next % 50 == 0 || next == 210)
        }
        #expect(frames.last == 220)
    }

    /// A client that has stopped reading, after the first seconds in which lag is not measured.
    private func blockedClient(of broadcast: Broadcast) throws -> TCPClient {
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<75 {
            broadcast.publish(byteCount: 20_000)
            broadcast.turn(after: 40)
        }
        #expect(client.output.isBlocked)
        return client
    }

    @Test func aBlockedViewerIsMeasuredEveryFiftyMillisecondsHoweverOftenTheLoopTurns() throws {
        let broadcast = Broadcast()
        let client = try blockedClient(of: broadcast)
        let before = client.output.measurementCount
        for millisecond in 0..<1_000 {
            if millisecond % 40 == 0 { broadcast.publish(byteCount: 20_000) }
            broadcast.turn(after: 1)
        }
        #expect((19...21).contains(client.output.measurementCount - before))
    }

    @Test func unreadBytesAreMeasuredAsSoonAsABlockedSocketBecomesWritable() throws {
        let broadcast = Broadcast()
        let client = try blockedClient(of: broadcast)
        _ = client.readAll()
        let before = client.output.measurementCount
        client.output.flush(at: broadcast.now)
        broadcast.delivery.outputBecameWritable(of: client.viewer, at: broadcast.now)
        #expect(client.output.measurementCount > before)
    }

    @Test func aClientWithANarrowerWindowCountsAsDrainedAfterwards() throws {
        let client = try TCPClient(sendBufferByteCount: 262_144)
        // Linux before 6.2 does not report it.
        guard let wide = client.output.socket.peerWindowByteCount else { return }
        var now = MonotonicTime.now()
        #expect(client.output.unreadByteCount(at: now) == 0)
        try client.socket.setReceiveBuffer(bytes: 4_096)
        for _ in 0..<200 {
            client.output.append([UInt8](repeating: 7, count: 2_000))
            client.output.flush(at: now)
            _ = client.read()
        }
        client.output.flush(at: now)
        _ = client.readAll()
        let narrow = client.output.socket.peerWindowByteCount
        #expect(narrow.map { $0 < wide / 2 } == true)
        now = now.advanced(byMilliseconds: 100)
        #expect(client.output.unreadByteCount(at: now) > wide / 2)
        #expect(!client.output.isDrained(at: now))
        now = now.advanced(byMilliseconds: 401)
        #expect(client.output.isDrained(at: now))
        #expect(client.output.unreadByteCount(at: now.advanced(byMilliseconds: 100)) == 0)
    }

    @Test func aViewerThatTakesNothingForTenSecondsIsDisconnected() throws {
        let broadcast = Broadcast()
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 20_000)
        #expect(broadcast.start(client.viewer))
        var stalled: [ObjectIdentifier] = []
        // The kernel may delay an acknowledgement by 40 ms, which are many seconds of the test's time and count as progress.
        for _ in 0..<2_000 where stalled.isEmpty {
            broadcast.publish(idr: true, byteCount: 20_000)
            broadcast.turn(after: 40)
            for case .stalled(let viewer) in broadcast.delivery.takeEvents() {
                stalled.append(ObjectIdentifier(viewer))
            }
        }
        #expect(stalled == [ObjectIdentifier(client.viewer)])
    }

    @Test func aStreamThatPausesDisconnectsNoViewer() throws {
        let broadcast = Broadcast()
        let client = try TCPClient()
        broadcast.publish(idr: true, byteCount: 2_000)
        #expect(broadcast.start(client.viewer))
        _ = client.read()
        broadcast.turn(after: 30_000)
        broadcast.publish(idr: true, byteCount: 2_000)
        broadcast.turn(after: 40)
        #expect(broadcast.delivery.takeEvents().isEmpty)
        #expect(!client.read().isEmpty)
    }
}
