import Media
import TestSupport
import Testing

@testable import MPEGTS

/// Which program is read, and which of its streams.
@Suite struct ProgramTests {
    private typealias Stream = (type: UInt8, pid: Int, descriptors: [UInt8])

    @Test func tablesMayBeSpreadOverPackets() {
        let filler = [0x52, 200] + [UInt8](repeating: 0, count: 200)
        let streams: [Stream] = [(0x1B, 0x41, filler), (0x0F, 0x42, filler), (0x06, 0x43, filler)]
        var maker = PacketMaker()
        let packets = tables(streams, &maker)
        #expect(packets.count == 5)
        let expected = [Program(streams: [.h264, .aac], others: ["private data"])]
        #expect(demultiplexed(packets).programs == expected)
        var random = SplitMix64(seed: 1)
        #expect(demultiplexed(packets.flatMap { $0 }.pieces(upTo: 40, using: &random)).programs == expected)
        // A part that is missing, or comes too late, is not replaced by another.
        for missing in 2..<4 {
            var rest = packets
            let late = rest.remove(at: missing)
            #expect(demultiplexed(rest + [late]).programs.isEmpty)
        }
    }

    @Test func damagedTablesAreIgnored() {
        var maker = PacketMaker()
        let packets = tables([(0x1B, 0x41, []), (0x0F, 0x42, [])], &maker)
        // Behind the header of the packet and the pointer, there are 16 and 26 bytes of a section.
        for (index, byteCount) in [16, 26].enumerated() {
            for byte in 0..<byteCount {
                var damaged = packets
                damaged[index][5 + byte] ^= 0x10
                #expect(demultiplexed(damaged).programs.isEmpty)
            }
        }
    }

    @Test func repeatedTablesChangeNothing() {
        var maker = PacketMaker()
        let packets = (0..<10).flatMap { _ in tables([(0x1B, 0x41, [])], &maker) }
        #expect(demultiplexed(packets).programs == [Program(streams: [.h264], others: [])])
    }

    @Test func aNewVersionChangesTheStreams() {
        var maker = PacketMaker()
        let versions: [[Stream]] = [[(0x1B, 0x41, [])], [(0x1B, 0x41, []), (0x0F, 0x42, [])], [(0x24, 0x41, [])]]
        let packets = versions.enumerated().flatMap { number, streams in
            tables(streams, version: UInt8(number), &maker)
        }
        #expect(demultiplexed(packets).programs.map(\.streams) == [[.h264], [.h264, .aac], [.h265]])
    }

    /// A table may be sent before it is valid.
    @Test func tablesThatAreNotValidYetAreIgnored() {
        var maker = PacketMaker()
        var map = Section(.programMap, identifier: 1, body: [0xE0, 0x41, 0xF0, 0, 0x1B, 0xE0, 0x41, 0xF0, 0])
        map.isCurrent = false
        let association = Section(.programAssociation, identifier: 1, body: [0, 1, 0xF0, 0])
        let packets = maker.sections([association.bytes], on: 0) + maker.sections([map.bytes], on: 0x1000)
        #expect(demultiplexed(packets).programs.isEmpty)
    }

    /// A receiver that has asked for one program of a multiplex gets the table of all, and the map of one.
    @Test func theProgramWhoseMapComesIsRead() {
        var maker = PacketMaker()
        let entries: [UInt8] = [0, 0, 0xE0, 0x10, 0, 7, 0xE1, 0, 0, 8, 0xE2, 0, 0, 9, 0xE3, 0]
        let association = Section(.programAssociation, identifier: 1, body: entries)
        func map(_ program: UInt16, _ type: UInt8) -> [UInt8] {
            Section(.programMap, identifier: program, body: [0xE0, 0x41, 0xF0, 0, type, 0xE0, 0x41, 0xF0, 0]).bytes
        }
        let head = maker.sections([association.bytes], on: 0)
        #expect(demultiplexed(head + maker.sections([map(9, 0x1B)], on: 0x300)).programs.map(\.streams) == [[.h264]])
        // A map of another program on this PID, and one without a supported format, are passed over.
        let packets =
            head + maker.sections([map(9, 0x1B)], on: 0x200) + maker.sections([map(7, 0x02)], on: 0x100)
            + maker.sections([map(8, 0x24)], on: 0x200) + maker.sections([map(9, 0x1B)], on: 0x300)
        #expect(demultiplexed(packets).programs.map(\.streams) == [[.h265]])
    }

    @Test func severalSectionsShareAPacket() {
        var maker = PacketMaker()
        let association = Section(.programAssociation, identifier: 1, body: [0, 1, 0xF0, 0, 0, 2, 0xF0, 0])
        func map(_ program: UInt16, _ type: UInt8) -> [UInt8] {
            Section(.programMap, identifier: program, body: [0xE0, 0x41, 0xF0, 0, type, 0xE0, 0x41, 0xF0, 0]).bytes
        }
        let packets =
            maker.sections([association.bytes], on: 0) + maker.sections([map(1, 0x02), map(2, 0x1B)], on: 0x1000)
        #expect(demultiplexed(packets).programs.map(\.streams) == [[.h264]])
    }

    @Test func theFirstVideoAndTheFirstAudioAreRead() {
        var maker = PacketMaker()
        let packets = tables(
            [(0x0F, 0x41, []), (0x1B, 0x42, []), (0x1B, 0x43, []), (0x11, 0x44, []), (0x02, 0x45, [])], &maker)
        let expected = Program(streams: [.aac, .h264], others: ["H.264", "AAC", "MPEG-2 video"])
        #expect(demultiplexed(packets).programs == [expected])
    }

    @Test func otherFormatsAreNamed() {
        let opus: [UInt8] = [0x05, 4] + Array("Opus".utf8)
        let streams: [(UInt8, [UInt8], String)] = [
            (0x02, [], "MPEG-2 video"), (0x03, [], "MPEG-1 audio (MP3)"), (0x81, [], "AC-3"),
            (0x06, [0x6A, 1, 0], "AC-3"),
            (0x06, [0x56, 0], "teletext"), (0x06, [0x05, 4] + Array("KLVA".utf8), "private data “KLVA”"),
            (0x06, opus, "Opus with more than two channels"),
            (0x06, opus + [0x7F, 2, 0x80, 6], "Opus with more than two channels"),
            (0x06, [], "private data"), (0x06, [0x05, 9, 1], "private data"), (0x90, [], "G.711 A-law"),
            (0xC5, [], "stream type 0xC5"), (0x09, [], "stream type 0x09"),
        ]
        for (type, descriptors, name) in streams {
            #expect(StreamContent(type: type, descriptors: Descriptors(descriptors.rawSpan)) == .other(name))
        }
        let stereo = opus + [0x7F, 2, 0x80, 2]
        #expect(StreamContent(type: 0x06, descriptors: Descriptors(stereo.rawSpan)) == .opus(channelCount: 2))
        let none: [UInt8] = []
        #expect(StreamContent(type: 0x11, descriptors: Descriptors(none.rawSpan)) == .latm)
    }

    @Test func aProgramWithoutASupportedFormatIsReported() {
        var maker = PacketMaker()
        var demultiplexer = Demultiplexer()
        for packet in tables([(0x02, 0x41, []), (0x03, 0x42, [])], &maker) {
            demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0))
        }
        #expect(demultiplexer.next().isNone)
        #expect(
            !demultiplexer.hasProgram && demultiplexer.unsupportedFormats == ["MPEG-2 video", "MPEG-1 audio (MP3)"])
    }

    @Test func encryptedStreamsAreReported() {
        var maker = PacketMaker()
        var demultiplexer = Demultiplexer()
        let clear = tables([(0x1B, 0x41, [])], &maker)
        let encrypted = maker.pes([UInt8](repeating: 1, count: 800), on: 0x41, at: 0).map { packet in
            packet.enumerated().map { $0.offset == 3 ? $0.element | 0x80 : $0.element }
        }
        for packet in clear + encrypted {
            let hasMedia = demultiplexer.receive(packet.rawSpan, arrival: MonotonicTime(nanoseconds: 0))
            #expect(!hasMedia)
        }
        #expect(demultiplexer.isScrambled)
        let next = maker.pes([0, 0, 1, 9, 0xF0], on: 0x41, at: 0)[0]
        demultiplexer.receive(next.rawSpan, arrival: MonotonicTime(nanoseconds: 0))
        #expect(!demultiplexer.isScrambled)
    }
}

extension Demultiplexer.Output? {
    fileprivate var isNone: Bool { if case .none = self { true } else { false } }
}
