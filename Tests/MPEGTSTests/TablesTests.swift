import Media
import TestSupport
import Testing
import Wire

@testable import MPEGTS

@Suite struct TablesTests {
    /// Check values of published implementations (CRC-32/MPEG-2), and the residue of a section with its own checksum.
    @Test func theChecksumMatchesTheSpecification() {
        #expect(cyclicRedundancyCheck(Array("123456789".utf8)) == 0x0376_E6E7)
        #expect(cyclicRedundancyCheck([]) == 0xFFFF_FFFF)
        for section in received(Broadcast().units(seconds: 1, seed: 1)).sections {
            #expect(cyclicRedundancyCheck(section.bytes) == 0)
        }
    }

    @Test func theTablesListTheStreams() throws {
        let sections = received([videoUnit([nalUnit(5, 10)], at: 0, isKeyframe: true)]).sections
        #expect(sections.map(\.pid) == [0, 0x1000])
        #expect(
            sections[0].bytes.dropLast(4) == [0x00, 0xB0, 0x0D, 0x00, 0x01, 0xC1, 0x00, 0x00, 0x00, 0x01, 0xF0, 0x00])
        #expect(
            sections[1].bytes.dropLast(4) == [
                0x02, 0xB0, 0x17, 0x00, 0x01, 0xC1, 0x00, 0x00, 0xE1, 0x00, 0xF0, 0x00,
                0x1B, 0xE1, 0x00, 0xF0, 0x00, 0x0F, 0xE1, 0x01, 0xF0, 0x00,
            ])
    }

    @Test(arguments: [1_500, 3_000, 3_600, 45_000] as [Int64])
    func tablesPrecedeEveryKeyframe(interval: Int64) throws {
        let units = Broadcast(interval: interval).units(seconds: 4, seed: 2)
        let receiver = received(units)
        #expect(receiver.violations == [])
        let announcements = receiver.sections.filter { $0.pid == 0 }.map(\.packet)
        #expect(announcements == receiver.sections.filter { $0.pid == 0x1000 }.map { $0.packet - 1 })
        let video = receiver.units(of: videoPID)
        for unit in video where unit.isKeyframe { #expect(announcements.contains(unit.packet - 2)) }
        let announced = video.filter { announcements.contains($0.packet - 2) }.compactMap(\.decode)
        let longest = zip(announced, announced.dropFirst()).map { $1 - $0 }.max() ?? 0
        #expect(longest < 9_000 + interval)
        #expect(announcements.count == announced.count, "tables come with video only")
    }

    @Test func aProgramMayHaveOnlyAudio() {
        let units = Broadcast().units(seconds: 2, seed: 3).filter { $0.track == audio }
        let receiver = received(units, tracks: [tracks()[1]])
        #expect(receiver.violations == [])
        #expect(receiver.sections[1].bytes.dropFirst(8).dropLast(4) == [0xE1, 0, 0xF0, 0, 0x0F, 0xE1, 0, 0xF0, 0])
        // Ten a second, not one for each of 47 frames.
        #expect((18...22).contains(receiver.sections.count / 2))
        #expect(receiver.units(of: 0x100).allSatisfy { $0.reference == $0.decode })
    }

    @Test func theVideoTrackLeadsAtAnyPosition() {
        let streams = ElementaryStream.streams(of: tracks().reversed())
        #expect(streams.map(\.track) == [video, audio])
        let many = (0..<40).map { Track(id: TrackID($0), clockRate: .video, format: tracks()[0].format) }
        #expect(ElementaryStream.streams(of: many).map(\.streamID) == (0xE0...0xEF).map { $0 })
    }
}
