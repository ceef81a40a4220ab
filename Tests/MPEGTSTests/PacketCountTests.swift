import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Packets of a transport stream, and those that are missing by their counters.
@Suite struct PacketCountTests {
    private static let packets: [[UInt8]] = {
        var multiplexer = Multiplexer(tracks: tracks())
        let frames = (0..<4).map { videoUnit([nalUnit(5, 10_000, seed: $0)], at: Int64($0) * 3_000, isKeyframe: true) }
        let bytes = multiplexer.bytes(of: frames).flatMap(\.self)
        return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<($0 + 188)]) }
    }()

    private static func counts(_ packets: [[UInt8]], in pieceByteCount: Int) -> TransportPacketCounts {
        var counts = TransportPacketCounts()
        let bytes = packets.flatMap(\.self)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            counts.receive(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]).rawSpan)
        }
        return counts
    }

    /// Datagrams of ffmpeg have 1,472 bytes unless it is told otherwise, which is no number of packets.
    @Test(arguments: [188, 1_316, 1_472, 65_424, 1])
    func aWholeStreamMissesNothing(pieceByteCount: Int) {
        let counts = Self.counts(Self.packets, in: pieceByteCount)
        #expect(counts.packetCount == Self.packets.count && counts.missingCount == 0)
    }

    @Test(arguments: [1, 7, 14])
    func missingPacketsAreCounted(count: Int) {
        var packets = Self.packets
        // In the middle of a frame.
        packets.removeSubrange(20..<(20 + count))
        let counts = Self.counts(packets, in: 1_316)
        #expect(counts.packetCount == packets.count && counts.missingCount == count)
    }

    /// Null packets have no counter, a packet may come twice, and a counter may start again if the packet says so.
    @Test func whatTheStandardAllowsIsNoLoss() {
        func packet(_ pid: UInt16, _ counter: UInt8, restarts: Bool = false) -> [UInt8] {
            [0x47, UInt8(pid >> 8), UInt8(pid & 0xFF), 0x30 | counter, 1, restarts ? 0x80 : 0]
                + [UInt8](repeating: 1, count: 182)
        }
        let packets = [
            packet(0x100, 3), packet(0x1FFF, 9), packet(0x100, 4), packet(0x100, 4), packet(0x1FFF, 2),
            packet(0x100, 5),
            packet(0x100, 12, restarts: true), packet(0x100, 13),
        ]
        #expect(Self.counts(packets, in: 188).missingCount == 0)
        #expect(Self.counts(packets + [packet(0x100, 0)], in: 188).missingCount == 2)
    }
}
