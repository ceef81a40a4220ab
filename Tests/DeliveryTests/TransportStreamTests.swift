import Media
import RTP
import Reactor
import Streams
import Testing

@testable import Delivery

/// Viewers that get all tracks in one MPEG-TS stream.
@Suite(.serialized)
struct TransportStreamTests {
    /// Counts discontinuities: per PID, packets with payload that do not continue the count of the packet before.
    private func continuityGaps(in packets: [Packet]) -> Int {
        var last: [Int: UInt8] = [:]
        var gaps = 0
        for packet in packets {
            for start in stride(from: 0, to: packet.payload.count, by: 188) {
                let bytes = packet.payload[start..<(start + 188)]
                let pid = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
                guard pid != 0x1FFF, bytes[start + 3] & 0x10 != 0 else { continue }
                let counter = bytes[start + 3] & 0x0F
                if let before = last[pid], (before + 1) & 0x0F != counter { gaps += 1 }
                last[pid] = counter
            }
        }
        return gaps
    }

    @Test func aViewerThatJoinsInTheMiddleSeesNoDiscontinuity() throws {
        let broadcast = Broadcast()
        // The first viewer creates the feed, so its counters have advanced when the second viewer comes.
        var first = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        broadcast.publish(idr: true, byteCount: 9_000)
        #expect(broadcast.start(first.viewer))
        for _ in 0..<30 {
            broadcast.publish(byteCount: 3_000)
            broadcast.turn(after: 40)
        }
        var second = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        #expect(broadcast.start(second.viewer))
        for _ in 0..<20 {
            broadcast.publish(byteCount: 3_000)
            broadcast.turn(after: 40)
        }
        for packets in [first.packets(), second.packets()] {
            #expect(packets.allSatisfy { !$0.payload.isEmpty && $0.payload.count % 188 == 0 })
            #expect(packets.allSatisfy { $0.payload.count <= 7 * 188 })
            #expect(continuityGaps(in: packets) == 0)
            for (index, packet) in packets.enumerated() {
                #expect(packet.header.sequenceNumber == SequenceNumber(65_530).advanced(by: index))
            }
        }
    }

    @Test func viewersOfASilentSourceGetAFillerEverySecond() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        _ = client.packets()
        for _ in 0..<10 { broadcast.turn(after: 500) }
        let fillers = client.packets()
        #expect(fillers.count >= 5)
        #expect(fillers.allSatisfy { $0.payload.prefix(3) == [0x47, 0x1F, 0xFF] })
        // What the source sends then continues without a gap in the numbers.
        broadcast.publish(byteCount: 500)
        broadcast.turn(after: 40)
        #expect(client.packets().first?.header.sequenceNumber == fillers.last?.header.sequenceNumber.advanced(by: 1))
    }

    @Test(arguments: [JoinMode.auto, .keyframe])
    func rtpTimeDoesNotGoBackWithAFiller(mode: JoinMode) throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        for frame in 0..<50 {
            broadcast.publish(idr: frame % 25 == 0, byteCount: 500)
            broadcast.turn(after: 40)
        }
        #expect(broadcast.start(client.viewer, mode: mode))
        for _ in 0..<4 { broadcast.turn(after: 500) }
        broadcast.skip(frames: 50)
        broadcast.publish(idr: true, byteCount: 500)
        broadcast.turn(after: 40)
        let packets = client.packets()
        #expect(packets.count { $0.payload.prefix(3) == [0x47, 0x1F, 0xFF] } >= 3)
        let steps = zip(packets, packets.dropFirst()).map {
            Int32(bitPattern: $1.header.timestamp &- $0.header.timestamp)
        }
        #expect(steps.allSatisfy { $0 >= 0 }, "\(steps)")
    }

    @Test func packetsAreNoLongerThanConfigured() throws {
        var options = DeliveryLoop.Options()
        options.packaging = .init(maximumPacketBytes: 800)
        let broadcast = Broadcast(options: options)
        var client = try UDPClient(usesGSO: true, encapsulation: .transportStream)
        broadcast.publish(idr: true, byteCount: 9_000)
        #expect(broadcast.start(client.viewer))
        for _ in 0..<4 { broadcast.turn(after: 500) }
        let packets = client.packetBytes()
        #expect(packets.count > 12)
        // Four transport packets of 188 bytes after an RTP header of 12 bytes.
        #expect(packets.map(\.count).max() == 12 + 4 * 188)
    }

    @Test func viewersWithOneStreamPerTrackGetNoFillers() throws {
        let broadcast = Broadcast()
        var client = try UDPClient(usesGSO: true)
        broadcast.publish(idr: true, byteCount: 500)
        #expect(broadcast.start(client.viewer))
        _ = client.packets()
        for _ in 0..<10 { broadcast.turn(after: 500) }
        #expect(client.packets().isEmpty)
    }
}
