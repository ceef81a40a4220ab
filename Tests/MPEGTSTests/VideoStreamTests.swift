import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Video in PES packets: where an access unit ends, and which times it has.
@Suite struct VideoStreamTests {
    private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xF0]

    /// A frame as a byte stream, without zeros in its slice.
    private func frame(_ number: Int, byteCount: Int = 900, slices: Int = 1) -> [UInt8] {
        Self.delimiter
            + (0..<slices).flatMap { slice in
                [0, 0, 1] + nalUnit(number == 0 ? 5 : 1, byteCount, seed: number + slice)
            }
    }

    private static func head(_ maker: inout PacketMaker) -> [[UInt8]] { tables([(0x1B, 0x41, [])], &maker) }

    /// How many units have come after each PES packet.
    private func counts(_ packets: [[[UInt8]]]) -> [Int] {
        var demultiplexer = Demultiplexer()
        var result = Demultiplexed()
        return packets.map { packet in
            for bytes in packet { demultiplexer.receive(bytes.rawSpan, arrival: MonotonicTime(nanoseconds: 0)) }
            result.take(from: &demultiplexer)
            return result.units.count
        }
    }

    /// A unit comes with its last packet, once eight PES packets have shown that this is where units end. Before, it waits for the next.
    @Test(arguments: [true, false]) func aUnitComesWithItsPacket(hasLength: Bool) {
        var maker = PacketMaker()
        let head = Self.head(&maker)
        let packets = (0..<20).map { number in
            maker.pes(frame(number), on: 0x41, at: Int64(number) * 3_600, hasLength: hasLength)
        }
        let counts = counts([head] + packets).dropFirst()
        #expect(counts.prefix(7) == [0, 1, 2, 3, 4, 5, 6])
        #expect(counts.suffix(10) == [11, 12, 13, 14, 15, 16, 17, 18, 19, 20])
    }

    /// One packet for each slice: a unit may go on after a packet.
    @Test(arguments: [true, false]) func packetsOfSlicesMakeOneUnit(hasTimes: Bool) {
        var maker = PacketMaker()
        var packets = Self.head(&maker)
        for number in 0..<30 {
            let time = Int64(number) * 3_600
            packets += maker.pes(frame(number), on: 0x41, at: time)
            packets += maker.pes([0, 0, 1] + nalUnit(1, 300), on: 0x41, at: hasTimes ? time : nil)
        }
        let units = demultiplexed(packets).units
        #expect(units.count == 30 && units.allSatisfy { $0.units.count == 3 && $0.isComplete })
        #expect(units.map(\.presentationTime.ticks) == (0..<30).map { $0 * 3_600 })
    }

    /// Frames whose packets are filled exactly end with the beginning of the next one, but not those that lack a byte or two: their
    /// stuffing is an adaptation field without contents.
    @Test(arguments: 0...3) func onlyExactlyFilledPacketsEndWithTheNextOne(missing: Int) {
        var maker = PacketMaker()
        let head = Self.head(&maker)
        let packets = (0..<30).map { number in
            // 14 bytes of PES header, 6 of the delimiter, 3 of a start code.
            let byteCount = number % 5 == 4 ? 184 * 4 - 23 - missing : 700
            return maker.pes(frame(number, byteCount: byteCount), on: 0x41, at: Int64(number) * 3_600, hasLength: false)
        }
        let counts = counts([head] + packets).dropFirst().enumerated()
        for (number, count) in counts where number > 15 {
            #expect(count == (number % 5 == 4 && missing == 0 ? number : number + 1))
        }
    }

    /// A multiplexer that stuffs amid a packet: nothing is lost, and the end is no longer guessed.
    @Test func stuffingAmidAPacketEndsNoUnitForLong() {
        var maker = PacketMaker()
        var packets = Self.head(&maker)
        for number in 0..<12 {
            packets += maker.pes(frame(number), on: 0x41, at: Int64(number) * 3_600, hasLength: false)
        }
        for number in 12..<40 {
            let body = frame(number, slices: 2)
            packets += maker.pes(Array(body[..<600]), on: 0x41, at: Int64(number) * 3_600, hasLength: false)
            packets += maker.packets(of: Array(body[600...]), on: 0x41, starts: false)
        }
        let units = demultiplexed(packets).units
        #expect(units.filter { $0.isComplete && $0.units.count == 3 }.count >= 26)
        #expect(units.suffix(20).allSatisfy { $0.isComplete && $0.units.count == 3 })
    }

    /// A packet may begin amid a unit, and has the time of the first unit that begins in it.
    @Test(arguments: [50, 777, 4_000]) func packetsMayBeginAnywhere(byteCount: Int) {
        let frames = (0..<40).map { frame($0, byteCount: 300 + $0 * 31, slices: 1 + $0 % 3) }
        let offsets = frames.indices.map { index in frames[..<index].reduce(0) { $0 + $1.count } }
        let stream = frames.flatMap { $0 }
        var maker = PacketMaker()
        var packets = Self.head(&maker)
        for start in stride(from: 0, to: stream.count, by: byteCount) {
            let range = start..<min(start + byteCount, stream.count)
            let time = offsets.firstIndex(where: range.contains).map { Int64($0) * 3_600 }
            packets += maker.pes(Array(stream[range]), on: 0x41, at: time)
        }
        let units = demultiplexed(packets).units
        #expect(units.map { $0.contents } == frames.map { AnnexB.units(of: $0) })
        // The others are spread over the time to the next packet.
        let firstOfPackets = Set(
            stride(from: 0, to: stream.count, by: byteCount).compactMap { start in
                offsets.firstIndex { (start..<(start + byteCount)).contains($0) }
            })
        #expect(firstOfPackets.count > 4)
        #expect(firstOfPackets.allSatisfy { units[$0].presentationTime.ticks == Int64($0) * 3_600 })
        #expect(zip(units, units.dropFirst()).allSatisfy { $0.decodeTime.ticks <= $1.decodeTime.ticks })
    }

    /// The header of a PES packet is spread over transport packets.
    @Test func longHeadersAreRead() {
        var maker = PacketMaker()
        var packets = Self.head(&maker)
        for number in 0..<4 {
            var bytes = maker.pesBytes(frame(number), at: Int64(number) * 3_600)
            // Stuffing up to the longest header, of which only the length is in the first transport packet.
            let stuffing = 0xFF - Int(bytes[8])
            bytes[8] = 0xFF
            bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: stuffing), at: 14)
            packets += maker.packets(of: bytes, on: 0x41, each: 7)
        }
        let units = demultiplexed(packets).units
        #expect(units.map(\.presentationTime.ticks) == [0, 3_600, 7_200, 10_800])
        #expect(units.allSatisfy { $0.isComplete && $0.units.count == 2 })
    }

    @Test func aFrameThatDoesNotEndIsDropped() {
        var maker = PacketMaker()
        var demultiplexer = Demultiplexer()
        let now = MonotonicTime(nanoseconds: 0)
        var result = Demultiplexed()
        func receive(_ packets: [[UInt8]]) {
            for packet in packets { demultiplexer.receive(packet.rawSpan, arrival: now) }
            result.take(from: &demultiplexer)
        }
        receive(Self.head(&maker))
        // Slices of one frame without end, in packets of 60 KB.
        for _ in 0..<160 {
            receive(maker.pes([0, 0, 1] + nalUnit(1, 60_000), on: 0x41, at: 0))
        }
        #expect(result.units.isEmpty && demultiplexer.brokenUnitCount >= 1)
        receive(maker.pes(frame(0), on: 0x41, at: 3_600) + maker.pes(frame(1), on: 0x41, at: 7_200))
        #expect(result.units.contains { $0.presentationTime.ticks == 3_600 && $0.isKeyframe })
    }
}
