import Media
import TestSupport
import Testing

@testable import MP4

/// Fragments that are joined into one.
struct FragmentGroupTests {
    @Test(arguments: [(ParameterSetPlacement.inBand, false), (.outOfBand, false), (.outOfBand, true)])
    func aGroupHasTheSamplesOfItsFragments(placement: ParameterSetPlacement, reorders: Bool) throws {
        let units = Broadcast(reorders: reorders, maximumFrameByteCount: 900).units(seconds: 3, seed: 7)
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: placement)
        let fragments = packager.fragments(of: units)
        let alone = read(units, placement)
        var joined = MovieReader(packager.head?.bytes ?? [])
        var number: UInt32 = 1
        for start in stride(from: 0, to: fragments.count, by: 16) {
            let part = Array(fragments[start..<min(start + 16, fragments.count)])
            let group = try #require(FragmentGroup(part, sequenceNumber: number))
            number += 1
            joined.read([UInt8](byteCount: group.byteCount) { group.write(to: &$0) })
        }
        #expect(joined.violations == [])
        #expect(joined.fragments.map(\.sequenceNumber) == Array(1..<number))
        for track in [videoNumber, audioNumber] {
            let (own, other) = (alone.samples(of: track), joined.samples(of: track))
            #expect(other.map(\.bytes) == own.map(\.bytes))
            #expect(other.map(\.presentation) == own.map(\.presentation))
            #expect(other.map(\.flags) == own.map(\.flags))
        }
    }

    @Test func aGroupBeginsWithTheCaptureTimeOfItsFirstFrame() throws {
        var unit = Broadcast.videoUnit([[0x65, 1]], at: 0, isKeyframe: true)
        unit.captured = NTPTime(rawValue: 77)
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .outOfBand)
        let fragments = packager.fragments(of: [unit, Broadcast.videoUnit([[0x41, 2]], at: 3_000)])
        let group = try #require(FragmentGroup(fragments, sequenceNumber: 9))
        var reader = MovieReader(packager.head?.bytes ?? [])
        reader.read([UInt8](byteCount: group.byteCount) { group.write(to: &$0) })
        #expect(reader.violations == [])
        #expect(reader.fragments.map(\.reference?.captured) == [77])
        #expect(reader.fragments.first?.samples.map(\.duration).first == 3_000)
    }

    @Test func thereIsNoGroupOfNothing() {
        let group = FragmentGroup<[UInt8]>([], sequenceNumber: 1)
        #expect(group == nil)
    }
}
