import Media
import TestSupport
import Testing

@testable import MP4

@Suite struct InitSegmentTests {
    private static let video = Track(id: TrackID(0), format: .h264(h264Sets))
    private static let h265 = Track(id: TrackID(0), format: .h265(H265Samples.sets))
    private static let aac = Track(id: TrackID(1), format: .aac(aac([0x11, 0x90])))
    private static let opus = Track(id: TrackID(1), format: .opus(channelCount: 2))

    private static func aac(_ bytes: [UInt8]) -> AAC.AudioSpecificConfig {
        guard let configuration = AAC.AudioSpecificConfig(parsing: bytes) else {
            preconditionFailure("this is a configuration")
        }
        return configuration
    }

    private func packager(_ tracks: [Track], _ placement: ParameterSetPlacement = .inBand) -> MP4Packager<[UInt8]> {
        MP4Packager(tracks: tracks, options: placement)
    }

    private func head(_ tracks: [Track], _ placement: ParameterSetPlacement = .inBand) throws -> InitSegment {
        try #require(packager(tracks, placement).head)
    }

    @Test(arguments: [(ParameterSetPlacement.inBand, "avc3"), (.outOfBand, "avc1")])
    func tracksAreDescribed(placement: ParameterSetPlacement, entry: String) throws {
        let reader = MovieReader(try head([Self.video, Self.aac], placement).bytes)
        #expect(reader.violations == [])
        #expect(reader.brands == ["iso6", "iso6", "mp41"] && reader.nextTrack == 3)
        let (video, audio) = (reader.tracks[0], reader.tracks[1])
        #expect(video.number == 1 && video.timescale == 90_000 && video.handler == "vide" && video.entry == entry)
        #expect(video.width == 640 && video.height == 360)
        #expect(video.displayWidth == 640 << 16 && video.displayHeight == 360 << 16)
        let record = try #require(video.entryBoxes["avcC"].flatMap { H264.DecoderConfigurationRecord(parsing: $0) })
        #expect(record.parameterSets == h264Sets && record.lengthSize == 4)
        #expect(audio.number == 2 && audio.timescale == 48_000 && audio.handler == "soun" && audio.entry == "mp4a")
        #expect(audio.channelCount == 2 && audio.sampleRate == 48_000 << 16)
        #expect(reader.tracks.allSatisfy { $0.defaultFlags == 0x0200_0000 })
    }

    @Test(arguments: [(ParameterSetPlacement.inBand, "hev1", false), (.outOfBand, "hvc1", true)])
    func h265IsDescribed(placement: ParameterSetPlacement, entry: String, isComplete: Bool) throws {
        let reader = MovieReader(try head([Self.h265], placement).bytes)
        #expect(reader.violations == [] && reader.brands.last == "cmfc")
        let track = reader.tracks[0]
        #expect(track.entry == entry && track.width == 640 && track.height == 360)
        let bytes = try #require(track.entryBoxes["hvcC"])
        let record = try #require(H265.DecoderConfigurationRecord(parsing: bytes))
        #expect(record.parameterSets == H265Samples.sets && record.lengthSize == 4)
        // The first array says whether the stream has no other sets.
        #expect(bytes[23] == 0x20 | (isComplete ? 0x80 : 0))
    }

    @Test func opusIsDescribed() throws {
        let reader = MovieReader(try head([Self.opus]).bytes)
        #expect(reader.violations == [] && reader.tracks[0].entry == "Opus")
        #expect(reader.tracks[0].channelCount == 2 && reader.tracks[0].sampleRate == 48_000 << 16)
        #expect(reader.tracks[0].entryBoxes["dOps"] == [0, 2, 0, 0, 0, 0, 0xBB, 0x80, 0, 0, 0])
    }

    /// The configuration stands in a descriptor in a descriptor in a descriptor, whose lengths take one or more bytes.
    @Test(arguments: [2, 5, 100, 127, 128, 300, 20_000])
    func aacConfigurationsOfAnyLengthAreDescribed(byteCount: Int) throws {
        let bytes = [0x11, 0x90] + [UInt8](repeating: 7, count: byteCount - 2)
        let track = Track(id: TrackID(0), format: .aac(Self.aac(bytes)))
        let descriptor = try #require(MovieReader(try head([track]).bytes).tracks[0].entryBoxes["esds"])
        var rest = descriptor.dropFirst(4)
        func content(_ tag: UInt8) throws -> ArraySlice<UInt8> {
            #expect(rest.popFirst() == tag)
            var length = 0
            while let byte = rest.popFirst() {
                length = length << 7 | Int(byte & 0x7F)
                if byte & 0x80 == 0 { break }
            }
            return rest.prefix(length)
        }
        #expect(try content(3).count == rest.count)
        #expect(rest.prefix(3) == [0, 0, 0])
        rest = rest.dropFirst(3)
        let decoder = try content(4)
        #expect(rest.dropFirst(decoder.count) == [6, 1, 2])
        #expect(decoder.prefix(2) == [0x40, 0x15])
        rest = rest.dropFirst(13)
        #expect(Array(try content(5)) == bytes)
    }

    @Test func shapeAndColoursOfSamplesAreDescribed() throws {
        let sets = try #require(H264.ParameterSets(sequence: [Self.largerSet], picture: h264Sets.picture))
        let track = MovieReader(try head([Track(id: TrackID(0), format: .h264(sets))]).bytes).tracks[0]
        #expect(track.width == 704 && track.height == 576)
        #expect(track.displayWidth == 768 << 16 && track.displayHeight == 576 << 16)
        #expect(track.entryBoxes["pasp"] == [0, 0, 0, 12, 0, 0, 0, 11])
        #expect(track.entryBoxes["colr"] == Array("nclx".utf8) + [0, 1, 0, 1, 0, 1, 0])
        let plain = MovieReader(try head([Self.video]).bytes).tracks[0]
        #expect(plain.entryBoxes["colr"] == nil)
    }

    /// A rate beyond 16 bits stands only in the configuration; a layout that the configuration defines has no number of channels.
    @Test func unusualAudioIsDescribed() throws {
        let track = Track(id: TrackID(0), format: .aac(Self.aac([0x10, 0x00])))
        let reader = MovieReader(try head([track]).bytes)
        #expect(reader.tracks[0].sampleRate == 0 && reader.tracks[0].timescale == 96_000)
        #expect(reader.tracks[0].channelCount == 1)
    }

    @Test func g711IsLeftOut() throws {
        let format = try #require(G711(.a, sampleRate: .telephony, channelCount: 1))
        let tracks = [Self.video, Track(id: TrackID(1), format: .g711(format))]
        #expect(MovieReader(try head(tracks).bytes).tracks.count == 1)
        #expect(tracks.map { MP4Packager<[UInt8]>.carries($0) } == [true, false])
    }

    @Test func codecsAreNamed() throws {
        #expect(try head([Self.video, Self.aac]).contentType == "video/mp4; codecs=\"avc3.64001E, mp4a.40.2\"")
        #expect(try head([Self.video], .outOfBand).codecs == ["avc1.64001E"])
        #expect(try head([Self.h265, Self.opus]).codecs == ["hev1.1.6.L63.90", "opus"])
        #expect(try head([Self.h265], .outOfBand).codecs == ["hvc1.1.6.L63.90"])
        #expect(try head([Self.aac]).contentType == "audio/mp4; codecs=\"mp4a.40.2\"")
        // Spectral band replication, signalled first.
        let sbr = Track(id: TrackID(0), format: .aac(Self.aac([0x2B, 0x11, 0x88, 0x00])))
        #expect(try head([sbr]).codecs == ["mp4a.40.5"])
    }

    // MARK: - Tracks of one kind

    @Test func someTracksHaveAnInitSegmentOfTheirs() throws {
        let all = try head([Self.video, Self.aac])
        let audio = try #require(all.selecting { $0.kind == .audio })
        #expect(audio.contentType == "audio/mp4; codecs=\"mp4a.40.2\"" && audio.generation == all.generation)
        // Fragments have the same track_ID in both.
        #expect(MovieReader(audio.bytes).tracks.map(\.number) == [2])
        #expect(all.selecting { _ in true } === all)
        #expect(all.selecting { _ in false } == nil)
    }

    // MARK: - Generations

    /// Sets in band may change without a new head; size and shape may not, because MSE takes them from there.
    @Test func aNewGenerationBeginsIfTheDescriptionChanges() throws {
        let other = try #require(Self.changed(h264Sets, picture: [0x68, 0xEE, 0x3C, 0x80]))
        let larger = try #require(H264.ParameterSets(sequence: [Self.largerSet], picture: h264Sets.picture))
        let changes: [(Track.Format, Track.Format, inBand: Bool, outOfBand: Bool)] = [
            (.h264(h264Sets), .h264(h264Sets), false, false),
            (.h264(h264Sets), .h264(other), false, true),
            (.h264(h264Sets), .h264(larger), true, true),
            (.h264(h264Sets), .h265(H265Samples.sets), true, true),
            (.aac(Self.aac([0x11, 0x90])), .aac(Self.aac([0x11, 0x90, 0x56, 0xE5, 0x00])), false, false),
            (.aac(Self.aac([0x11, 0x90])), .aac(Self.aac([0x11, 0x88])), true, true),
            (.opus(channelCount: 1), .opus(channelCount: 2), true, true),
        ]
        for (before, after, inBand, outOfBand) in changes {
            for (placement, isNew) in [(ParameterSetPlacement.inBand, inBand), (.outOfBand, outOfBand)] {
                let (former, new) = ([Track(id: TrackID(0), format: before)], [Track(id: TrackID(0), format: after)])
                var packager = packager(former, placement)
                let continues = packager.announced(new, after: former)
                #expect(continues)
                #expect(packager.head?.generation == (isNew ? .first.next : .first), "\(before) \(after) \(placement)")
                // A later client gets the newest description in any case.
                #expect(packager.head?.bytes == (try head(new, placement).bytes))
            }
        }
    }

    @Test func anotherSetOfTracksIsANewGeneration() throws {
        var packager = packager([Self.video])
        _ = packager.announced([Self.video, Self.aac], after: [Self.video])
        #expect(packager.head?.generation == .first.next)
        _ = packager.announced([Self.aac], after: [Self.video, Self.aac])
        #expect(packager.head?.generation == .first.next.next)
    }

    @Test func outputsNameTheirHead() throws {
        var packager = packager(Broadcast.tracks())
        let units = Broadcast().units(seconds: 1, seed: 1)
        #expect(packager.fragments(of: units).allSatisfy { $0.head === packager.head })
        _ = packager.announced([Broadcast.tracks()[0]], after: Broadcast.tracks())
        #expect(packager.fragments(of: units).allSatisfy { $0.head === packager.head && $0.kind == .video })
    }

    /// An endless file has one init segment.
    @Test func aFileContinuesIfItsReaderCan() throws {
        let larger = try #require(H264.ParameterSets(sequence: [Self.largerSet], picture: h264Sets.picture))
        let enlarged = Track(id: TrackID(0), format: .h264(larger))
        #expect(try head([enlarged, Self.aac]).continues(try head([Self.video, Self.aac])))
        #expect(try !head([enlarged], .outOfBand).continues(try head([Self.video], .outOfBand)))
        #expect(try head([Self.video], .outOfBand).continues(try head([Self.video], .outOfBand)))
        #expect(try !head([Self.h265]).continues(try head([Self.video])))
        #expect(try !head([Self.video, Self.aac]).continues(try head([Self.video])))
        #expect(try !head([Self.video, Self.opus]).continues(try head([Self.video, Self.aac])))
    }

    /// 704×576 with samples of 12:11, in the colours of BT.709, with the same profile and level.
    private static let largerSet: [UInt8] = [
        0x67, 0x64, 0x00, 0x1E, 0xAC, 0xD9, 0x40, 0xB0, 0x12, 0x6C, 0x09, 0xA8, 0x08, 0x08, 0x0A, 0x00, 0x00, 0x03,
        0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x78, 0x1E, 0x2C, 0x5B, 0x2C,
    ]

    private static func changed(_ sets: H264.ParameterSets, picture: [UInt8]) -> H264.ParameterSets? {
        H264.ParameterSets(sequence: sets.sequence, picture: [picture])
    }
}
