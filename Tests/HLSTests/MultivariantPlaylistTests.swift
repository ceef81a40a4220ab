import MP4
import Media
import Testing

@testable import HLS

/// Multivariant playlists (RFC 8216bis, section 4.4.6), and the texts of all playlists.
struct MultivariantPlaylistTests {
    private func variant(_ uri: String, _ tracks: [Track], rate: Double? = 25) throws -> MultivariantPlaylist.Variant {
        let head = try #require(MP4Packager<[UInt8]>(tracks: tracks, options: .outOfBand).head)
        return .init(uri: uri, peakBitrate: 2_000_000, averageBitrate: 1_500_000, of: head, frameRate: rate)
    }

    @Test func eachVariantHasWhatPlayersChooseBy() throws {
        let playlist = MultivariantPlaylist([
            try variant("a/0.m3u8", [Recording.video, Recording.audio]),
            try variant("a/1.m3u8", [Recording.video], rate: 29.97),
        ])
        #expect(
            playlist.text.split(separator: "\n") == [
                "#EXTM3U", "#EXT-X-VERSION:9",
                #"#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001E,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=25"#,
                "a/0.m3u8",
                #"#EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001E",RESOLUTION=640x360,FRAME-RATE=29.97"#,
                "a/1.m3u8",
            ])
    }

    @Test func audioAloneHasNoSize() throws {
        let text = MultivariantPlaylist([try variant("0.m3u8", [Recording.audio])]).text
        #expect(text.contains(#"CODECS="mp4a.40.2"\#n0.m3u8"#))
    }

    @Test func playersAreToldAboutTheStream() {
        let information = MultivariantPlaylist.Information(
            title: "The \"yard\"\r\n", description: "", keywords: " bees , ,hive\t, two words ")
        let text = MultivariantPlaylist([], information).text
        #expect(text.contains(#"#EXT-X-SESSION-DATA:DATA-ID="apus.title",VALUE="The 'yard'  ""#))
        #expect(text.contains(#"#EXT-X-SESSION-DATA:DATA-ID="apus.keywords",VALUE="bees,hive,two words""#))
        #expect(!text.contains("description"))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_633_199_999, "2026-11-25T18:59:59.999Z"), (1_709_251_199_001, "2024-02-29T23:59:59.001Z"),
            (1_735_689_599_500, "2024-12-31T23:59:59.500Z"), (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
        ] as [(Int64, String)])
    func datesAreWritten(milliseconds: Int64, text: String) {
        #expect(String.date(NTPTime(unixNanoseconds: milliseconds * 1_000_000)) == text)
    }

    @Test(
        arguments: [
            (1_000_000_000, "1"), (33_333_333, "0.03333"), (0, "0"), (1_000_005_000, "1.00001"), (999_996_000, "1"),
            (10_200_000_000, "10.2"),
        ] as [(Int64, String)])
    func secondsAreWritten(nanoseconds: Int64, text: String) {
        #expect(String.seconds(nanoseconds) == text)
    }

    @Test func theBitratesAreMeasured() throws {
        var recording = Recording()
        for index in 0..<101 as Range<Int64> {
            recording.frame(isKeyframe: index % 25 == 0, at: index * 40, byteCount: index < 25 ? 9_900 : 4_900)
        }
        let bandwidth = try #require(recording.segmenter.bandwidth)
        #expect((1_980_000...2_000_000).contains(bandwidth.peak), "\(bandwidth)")
        #expect((1_230_000...1_250_000).contains(bandwidth.average), "\(bandwidth)")
    }
}
