import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Audio in frames of its own: ADTS, LOAS, and Opus behind control headers.
@Suite struct AudioStreamTests {
    /// An ADTS frame of AAC with 44 100 Hz and two channels.
    private static func adts(_ block: [UInt8]) -> [UInt8] {
        let length = block.count + 7
        return [
            0xFF, 0xF1, 0x50, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF), UInt8(length & 7) << 5 | 0x1F,
            0xFC,
        ] + block
    }

    private static let blocks: [[UInt8]] = (0..<40).map { number in
        [UInt8](repeating: UInt8(number), count: 1 + number * 37 % 300)
    }

    /// The results of PES packets with these bodies and times.
    private func received(
        _ packets: [(body: [UInt8], time: Int64?)], type: UInt8 = 0x0F, descriptors: [UInt8] = [],
        losing isLost: (Int) -> Bool = { _ in false }
    ) -> [ProgramUnit] {
        var maker = PacketMaker()
        var all = tables([(type, 0x41, descriptors)], &maker)
        for packet in packets { all += maker.pes(packet.body, on: 0x41, streamID: 0xC0, at: packet.time) }
        return demultiplexed(all.indices.filter { !isLost($0) }.map { all[$0] }).units
    }

    /// The time of a frame, counted from the packet's without adding up roundings.
    private func time(_ number: Int) -> Int64 { 5_000 + Int64(number) * 1_024 * 90_000 / 44_100 }

    @Test func theFramesOfAPacketFollowEachOther() {
        let units = received([(Self.blocks.flatMap(Self.adts), 5_000)])
        #expect(units.map(\.bytes) == Self.blocks)
        #expect(units.map(\.presentationTime.ticks) == (0..<40).map(time))
        let configuration = AAC.AudioSpecificConfig(parsing: [0x12, 0x10])
        #expect(units.allSatisfy { $0.format == configuration.map { .aac($0) } })
    }

    /// The time of a packet is that of the first frame that begins in it (2.4.3.7).
    @Test(arguments: [3, 100, 188, 700]) func framesMayBeSpreadOverPackets(byteCount: Int) {
        let stream = Self.blocks.flatMap(Self.adts)
        let offsets = Self.blocks.indices.map { index in Self.blocks[..<index].reduce(0) { $0 + $1.count + 7 } }
        let packets = stride(from: 0, to: stream.count, by: byteCount).map { start -> ([UInt8], Int64?) in
            let range = start..<min(start + byteCount, stream.count)
            return (Array(stream[range]), offsets.firstIndex(where: range.contains).map(time))
        }
        let units = received(packets)
        #expect(units.map(\.bytes) == Self.blocks)
        // The times of packets are rounded down.
        #expect(units.enumerated().allSatisfy { (0...1).contains(time($0) - $1.presentationTime.ticks) })
    }

    /// The frames after a loss have no time until a packet begins.
    @Test func aLossDropsFramesUntilTheNextPacket() {
        let packets = stride(from: 0, to: 40, by: 4).map { first in
            (Self.blocks[first..<(first + 4)].flatMap(Self.adts), time(first))
        }
        let all = received(packets)
        for lost in 3..<20 {
            let units = received(packets) { $0 == lost }
            #expect(units.count < all.count && units.count >= all.count - 8)
            #expect(Set(units.map(\.bytes)).isSubset(of: Set(all.map(\.bytes))))
            for unit in units {
                #expect(all.first { $0.bytes == unit.bytes }?.presentationTime == unit.presentationTime)
            }
        }
    }

    @Test func bytesBetweenFramesAreSkipped() {
        // Among them a header that no frame follows.
        let stray = Array(Self.adts([1, 2, 3]).prefix(6)) + [0xFF, 0xF1, 7, 7, 7]
        let frames = Self.blocks.map(Self.adts)
        let body = frames[..<10].joined() + stray + frames[10...].joined()
        let units = received([(Array(body), 5_000)])
        #expect(Set(Self.blocks).isSuperset(of: units.map(\.bytes)) && units.count >= 38)
    }

    /// Frames with the configuration in the first one and in each fourth one, with one or two units.
    @Test(arguments: [1, 2]) func loasIsReceived(unitsPerFrame: Int) {
        var bodies: [[UInt8]] = []
        for start in stride(from: 0, to: Self.blocks.count, by: unitsPerFrame) {
            var bits = BitWriter()
            bits.append(start % 4 == 0 ? 0 : 1, 1)
            if start % 4 == 0 {
                // Version 0, same framing, units, one program and layer, AAC-LC 48 kHz stereo, lengths, buffer, no more.
                bits.append(0b01, 2)
                bits.append(UInt32(unitsPerFrame - 1), 6)
                bits.append(0, 7)
                bits.append(0x1190, 16)
                bits.append(0, 3)
                bits.append(0xFF, 8)
                bits.append(0, 2)
            }
            for block in Self.blocks[start..<(start + unitsPerFrame)] {
                for _ in 0..<(block.count / 255) { bits.append(255, 8) }
                bits.append(UInt32(block.count % 255), 8)
                for byte in block { bits.append(UInt32(byte), 8) }
            }
            let element = bits.bytes
            bodies.append([0x56, 0xE0 | UInt8(element.count >> 8), UInt8(element.count & 0xFF)] + element)
        }
        let units = received([(bodies.flatMap { $0 }, 5_000)], type: 0x11)
        #expect(units.map(\.bytes) == Self.blocks)
        #expect(units.map(\.presentationTime.ticks) == (0..<40).map { 5_000 + $0 * 1_920 })
        let configuration = AAC.AudioSpecificConfig(parsing: [0x11, 0x90])
        #expect(units.allSatisfy { $0.format == configuration.map { .aac($0) } })
        // Without a configuration nothing can be decoded.
        #expect(received([(bodies[1] + bodies[1], 5_000)], type: 0x11).isEmpty)
    }

    /// What a control header says of samples to cut, and its extension, are passed over.
    @Test func opusControlHeadersMayHaveMore() {
        let packet: [UInt8] = [0x78] + [UInt8](repeating: 3, count: 299)
        let body: [UInt8] =
            [0x7F, 0xFC, 0xFF, 45, 0x00, 0x10, 0x00, 0x20, 2, 9, 9] + packet + [0x7F, 0xE0, 0xFF, 45] + packet
        let opus: [UInt8] = [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, 1]
        let units = received([(body, 9_000)], type: 0x06, descriptors: opus)
        #expect(units.map(\.bytes) == [packet, packet])
        #expect(units.map(\.presentationTime.ticks) == [9_000, 10_800])
        #expect(units.allSatisfy { $0.format == .opus(channelCount: 1) })
    }
}

/// Bits, most significant first.
private struct BitWriter {
    private var bits: [UInt8] = []

    mutating func append(_ value: UInt32, _ count: Int) {
        for shift in (0..<count).reversed() { bits.append(UInt8(value >> UInt32(shift) & 1)) }
    }

    var bytes: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | (start + $1 < bits.count ? bits[start + $1] : 0) }
        }
    }
}
