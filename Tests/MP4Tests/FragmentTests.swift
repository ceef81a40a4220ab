import Media
import TestSupport
import Testing

@testable import MP4

/// A reader of fragments gets the units that were packaged.
@Suite struct FragmentTests {
    static let broadcasts: [Broadcast] = [
        Broadcast(), Broadcast(interval: 1_500, reorders: true), Broadcast(comesInParts: true),
        Broadcast(interval: 18_000, reorders: true, comesInParts: true, maximumFrameByteCount: 80_000),
        Broadcast(audioRate: ClockRate(hertz: 44_100)!),
    ]

    @Test(arguments: broadcasts, [ParameterSetPlacement.inBand, .outOfBand])
    func everyUnitIsReadWithItsTimes(broadcast: Broadcast, placement: ParameterSetPlacement) {
        let units = broadcast.units(seconds: 4, seed: 1)
        let reader = read(units, tracks: Broadcast.tracks(audioRate: broadcast.audioRate), placement)
        #expect(reader.violations == [])
        let whole = joined(units)
        #expect(reader.fragments.count == whole.count)
        #expect(reader.fragments.map(\.sequenceNumber) == (1...UInt32(whole.count)).map { $0 })
        for (track, number) in [(Broadcast.video, videoNumber), (Broadcast.audio, audioNumber)] {
            let sent = whole.filter { $0.track == track }
            let back = reader.samples(of: number)
            // Before the second frame, the distance of frames is not known.
            #expect(back.map(\.decode).dropFirst(2) == sent.map { MovieTime.ticks($0.decodeTime) }.dropFirst(2))
            #expect(back.map(\.presentation) == sent.map { MovieTime.ticks($0.presentationTime) })
            #expect(back.map(\.isSync) == sent.map(\.isKeyframe))
        }
        #expect(
            reader.samples(of: audioNumber).map(\.bytes) == whole.filter { $0.track == Broadcast.audio }.map(\.bytes))
        #expect(
            reader.samples(of: videoNumber).map { nalUnits(of: $0.bytes) }
                == whole.filter { $0.track == Broadcast.video }.map { Self.sent($0, placement) })
    }

    /// With parts, the fragment of a frame comes with its last part.
    @Test func aFrameInPartsIsOneSample() {
        let parts: [(AccessUnit.Part, [UInt8])] = [(.first, [0x65, 1]), (.middle, [0x65, 2]), (.last, [0x65, 3])]
        let units = parts.map { Broadcast.videoUnit([$1], at: 0, isKeyframe: $0 == .first, part: $0) }
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .outOfBand)
        let fragments = units.map { packager.package($0) }
        #expect(fragments.map { $0 != nil } == [false, false, true])
        #expect(fragments[2]?.isKeyframe == true && fragments[2]?.isRandomAccessPoint == true)
        let reader = read(units, .outOfBand)
        #expect(reader.samples(of: videoNumber).map { nalUnits(of: $0.bytes) } == [parts.map(\.1)])
    }

    @Test func aFrameWithoutItsEndIsCompleteWhenTheNextBegins() {
        let frames: [(AccessUnit.Part, Int64, Bool)] = [
            (.first, 0, true), (.whole, 1, false), (.first, 2, false), (.whole, 3, true),
        ]
        let units = frames.map { part, number, isKeyframe in
            Broadcast.videoUnit(
                [[isKeyframe ? 0x65 : 0x41, UInt8(number)]], at: number * 3_000, isKeyframe: isKeyframe, part: part)
        }
        let reader = read(units, .outOfBand)
        #expect(reader.violations == [])
        // The incomplete frame before the second keyframe is dropped: nothing refers to it.
        #expect(
            reader.samples(of: videoNumber).map { nalUnits(of: $0.bytes) } == [
                [[0x65, 0]], [[0x41, 1]], [[0x65, 3]],
            ])
        #expect(reader.samples(of: videoNumber).map(\.presentation) == [0, 3_000, 9_000].map { $0 + 900_000 })
    }

    @Test func partsWithoutABeginningAreDropped() {
        let units = [AccessUnit.Part.last, .middle, .whole, .last].enumerated().map {
            Broadcast.videoUnit([[0x41, UInt8($0)]], at: Int64($0) * 3_000, part: $1)
        }
        #expect(read(units).samples(of: videoNumber).map { nalUnits(of: $0.bytes) } == [[[0x41, 2]]])
    }

    /// Filler data and delimiters are left out; so is a unit that has nothing else.
    @Test func samplesHaveNoDelimitersAndNoFiller() {
        let units = [
            Broadcast.videoUnit([[0x09, 0xF0], [0x0C, 0xFF, 0x80], [0x41, 1]], at: 0),
            Broadcast.videoUnit([[0x09, 0xF0], [0x0C, 0xFF, 0x80]], at: 3_000),
        ]
        let reader = read(units)
        #expect(reader.violations == [] && reader.fragments.count == 1)
        #expect(reader.samples(of: videoNumber).map { nalUnits(of: $0.bytes) } == [[[0x41, 1]]])
        let h265 = [
            Broadcast.videoUnit([[0x46, 0x01, 0x50], [0x4C, 0x01, 0xFF], H265Samples.other], at: 0),
            Broadcast.videoUnit(H265Samples.sets.all + [H265Samples.idr], at: 3_000, isKeyframe: true),
            Broadcast.videoUnit([H265Samples.idr], at: 6_000, isKeyframe: true),
        ]
        let track = Track(id: Broadcast.video, format: .h265(H265Samples.sets))
        let (inBand, outOfBand) = (read(h265, tracks: [track]), read(h265, tracks: [track], .outOfBand))
        #expect(inBand.violations == [] && outOfBand.violations == [])
        let keyframe = H265Samples.sets.all + [H265Samples.idr]
        #expect(
            inBand.samples(of: 1).map { nalUnits(of: $0.bytes) } == [[H265Samples.other], keyframe, keyframe])
        #expect(
            outOfBand.samples(of: 1).map { nalUnits(of: $0.bytes) }
                == [[H265Samples.other], [H265Samples.idr], [H265Samples.idr]])
    }

    @Test func everyBlockOfAnAudioUnitIsASample() {
        let blocks: [[UInt8]] = [[1, 2, 3], [4], [UInt8](repeating: 5, count: 700)]
        let reader = read([Broadcast.audioUnit(blocks, at: 0), Broadcast.audioUnit([[6]], at: 3_072)])
        #expect(reader.violations == [] && reader.fragments.map(\.samples.count) == [3, 1])
        #expect(reader.samples(of: audioNumber).map(\.bytes) == blocks + [[6]])
        #expect(reader.samples(of: audioNumber).map(\.decode) == [0, 1_024, 2_048, 3_072].map { $0 + 480_000 })
        #expect(
            reader.samples(of: audioNumber).allSatisfy {
                $0.duration == 1_024 && $0.compositionOffset == 0 && $0.isSync
            })
    }

    /// 2.5, 20, 60 ms, and twice 20 ms in one packet.
    @Test func opusPacketsTellTheirDurations() {
        let packets: [([UInt8], Int64)] = [
            ([0x80, 1], 120), ([0x98, 1], 960), ([0x18, 1], 2_880), ([0x99, 1], 1_920),
        ]
        var (ticks, units): (Int64, [AccessUnit]) = (0, [])
        for (packet, duration) in packets {
            units.append(Broadcast.audioUnit([packet], at: ticks))
            ticks += duration
        }
        let reader = read(units, tracks: [Track(id: Broadcast.audio, format: .opus(channelCount: 2))])
        #expect(reader.violations == [])
        #expect(reader.samples(of: audioNumber).map(\.duration) == packets.map(\.1))
        #expect(reader.samples(of: audioNumber).map(\.bytes) == packets.map(\.0))
    }

    /// Several units in one fragment, as in a segment: decode times are sums of durations, and meet the units' times.
    @Test(arguments: broadcasts)
    func severalUnitsInOneFragmentHaveTheSameSamples(broadcast: Broadcast) {
        let units = joined(broadcast.units(seconds: 4, seed: 3))
        let tracks = Broadcast.tracks(audioRate: broadcast.audioRate)
        var fragmenter = Fragmenter(tracks: tracks, parameterSets: .outOfBand)
        var reader = MovieReader(MP4Packager<[UInt8]>(tracks: tracks, options: .outOfBand).head?.bytes ?? [])
        var random = SplitMix64(seed: 4)
        var rest = units[...]
        while !rest.isEmpty {
            let segment = rest.prefix(Int.random(in: 1...60, using: &random))
            rest = rest.dropFirst(segment.count)
            guard let fragment = fragmenter.fragment(of: Array(segment)) else { continue }
            reader.read(SegmentType.segment.bytes + [UInt8](byteCount: fragment.byteCount) { fragment.write(to: &$0) })
        }
        #expect(reader.violations == [] && reader.segmentTypes.allSatisfy { $0 == ["cmfs", "iso6", "cmfs"] })
        #expect(reader.segmentTypes.count == reader.fragments.count)
        let single = read(units, tracks: tracks, .outOfBand)
        for number in [videoNumber, audioNumber] {
            let (ours, theirs) = (reader.samples(of: number), single.samples(of: number))
            #expect(ours.map(\.bytes) == theirs.map(\.bytes))
            #expect(ours.map(\.decode) == theirs.map(\.decode))
            #expect(ours.map(\.presentation) == theirs.map(\.presentation))
        }
        for fragment in reader.fragments {
            for number in [videoNumber, audioNumber] {
                let samples = fragment.samples.filter { $0.track == number }
                #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.decode + UInt64($0.duration) == $1.decode })
            }
        }
    }

    @Test func theCaptureTimeStandsBeforeTheFragment() throws {
        var unit = Broadcast.videoUnit([[0x41, 1]], at: 9_000, decodedAt: 3_000)
        unit.captured = NTPTime(unixNanoseconds: 1_700_000_000_250_000_000)
        let reader = read([unit, Broadcast.audioUnit([[1]], at: 0)])
        #expect(reader.violations == [])
        let reference = try #require(reader.fragments[0].reference)
        #expect(reference.track == videoNumber && reference.flags == 0x0100_0018)
        #expect(reference.captured == unit.captured?.rawValue)
        #expect(reference.mediaTime == reader.fragments[0].samples[0].presentation)
        #expect(reader.fragments[1].reference == nil)
    }

    @Test func randomUnitsNeverTrap() {
        var packager = MP4Packager<[UInt8]>(tracks: Broadcast.tracks(), options: .inBand)
        var reader = MovieReader(packager.head?.bytes ?? [])
        for ticks in [0, .max, .min, 1, -1, .max / 2, .min / 2] as [Int64] {
            for part in [AccessUnit.Part.last, .middle, .whole, .first] {
                let units = [
                    Broadcast.videoUnit([[0x09], [0x05]], at: ticks, decodedAt: ~ticks, isKeyframe: true, part: part),
                    Broadcast.audioUnit([[0], [1]], at: ticks),
                ]
                for fragment in packager.fragments(of: units) + packager.fastStart(units) {
                    reader.read(fragment.bytes)
                }
                var fragmenter = Fragmenter(tracks: Broadcast.tracks(), parameterSets: .outOfBand)
                _ = fragmenter.fragment(of: units + units)
            }
        }
        #expect(reader.violations == [])
        let stranger = Broadcast.videoUnit([[5]], at: 0).on(TrackID(7))
        #expect(packager.package(stranger) == nil)
        var empty = MP4Packager<[UInt8]>(tracks: [], options: .inBand)
        #expect(empty.package(stranger) == nil && empty.fastStart([stranger]).isEmpty)
        #expect(MovieReader(empty.head?.bytes ?? []).violations == [])
    }

    // MARK: - Expected values

    /// The NAL units of a length-prefixed sample.
    private func nalUnits(of sample: [UInt8]) -> [[UInt8]] {
        let (ranges, isDamaged) = H264.LengthPrefixed.units(in: sample, lengthSize: 4)
        #expect(!isDamaged)
        return ranges.map { Array(sample[$0]) }
    }

    /// The NAL units of a frame in its sample.
    private static func sent(_ unit: AccessUnit, _ placement: ParameterSetPlacement) -> [[UInt8]] {
        let units = unit.contents.filter { AnnexB.type(of: $0) != 9 }
        switch placement {
        case .outOfBand: return AnnexB.withoutParameterSets(units)
        case .inBand:
            let lacksSets = unit.isKeyframe && !units.contains { AnnexB.type(of: $0) == 7 }
            return (lacksSets ? Broadcast.parameterSets : []) + units
        }
    }
}
