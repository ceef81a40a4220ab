import Media
import Testing

@Suite struct CodecTests {
    @Test func namesAndNumbersAreUnique() {
        let rows = Codec.allCases.map(\.facts)
        #expect(Set(rows.map { $0.encodingName.lowercased() }).count == rows.count)
        let types = rows.compactMap(\.streamType)
        #expect(Set(types).count == types.count)
        for codec in Codec.allCases { #expect(Codec(libavcodecName: codec.facts.libavcodecName) == codec) }
        #expect(Codec(libavcodecName: "mp3") == nil)
    }

    @Test func viewersSurviveNewParametersOnlyIfTheyAreInBand() throws {
        let video = try [UInt8(0x1E), 0x1F].map { level in
            try #require(H264.ParameterSets(sequence: [[0x67, 0x42, 0xC0, level]], picture: [[0x68, 0xCE]]))
        }.map { Track(id: TrackID(0), format: .h264($0)) }
        let audio = try [[0x11, 0x90], [0x11, 0x88]].map { bytes in
            try #require(AAC.AudioSpecificConfig(parsing: bytes))
        }.map { Track(id: TrackID(0), format: .aac($0)) }
        #expect(video[0] != video[1] && video[0].isCompatible(with: video[1]))
        #expect(audio[0].clockRate == audio[1].clockRate && !audio[0].isCompatible(with: audio[1]))
        #expect(audio[0].isCompatible(with: audio[0]))
        #expect(!video[0].isCompatible(with: audio[0]))
        #expect(!video[0].isCompatible(with: Track(id: TrackID(1), format: video[0].format)))
    }
}
