import MP4
import Media
import Testing

@testable import HLS

/// A row for each rule of RFC 8216 and its second edition (draft-pantos-hls-rfc8216bis-20) about media playlists.
struct MediaPlaylistTests {
    private func recording(_ milliseconds: Int64 = 20_500) -> Recording {
        var recording = Recording()
        recording.play(milliseconds)
        return recording
    }

    @Test func thereIsNoPlaylistBeforeThereIsASegment() {
        #expect(recording(800).lines().isEmpty)
        #expect(recording(1_100).lines().count > 5)
    }

    @Test("4.3.1.1: the first line") func firstLine() { #expect(recording().lines().first == "#EXTM3U") }

    @Test("4.3.1.2: one version, which the tags need") func version() {
        #expect(recording().values(of: "EXT-X-VERSION") == ["9"])
    }

    @Test("4.4.3.1: no rounded duration exceeds the target, which is one whole number") func targetDuration() throws {
        let recording = recording()
        #expect(recording.values(of: "EXT-X-TARGETDURATION") == ["1"])
        for value in recording.values(of: "EXTINF") {
            #expect(try #require(Double(value.dropLast())).rounded() <= 1)
        }
    }

    @Test("4.4.3.2 and 6.2.2: the media sequence number never decreases, and counts what has left") func mediaSequence()
    {
        var recording = Recording { $0.firstNumber = 100 }
        var last = 0
        for _ in 0..<200 {
            recording.play(200, group: 1_000_000)
            recording.frame(isKeyframe: true)
            guard let value = recording.values(of: "EXT-X-MEDIA-SEQUENCE").first.flatMap({ Int($0) }) else { continue }
            #expect(value >= max(100, last))
            last = value
            let first = recording.lines().first { $0.hasSuffix(".mp4") }
            #expect(first == "ab-\(value).mp4")
        }
        #expect(last > 100)
    }

    @Test("4.4.3.3: the discontinuity sequence counts what has left") func discontinuitySequence() {
        var recording = Recording()
        recording.play(2_200)
        recording.announce([Recording.video, Recording.audio])
        recording.play(3_200)
        #expect(recording.values(of: "EXT-X-DISCONTINUITY-SEQUENCE").isEmpty)
        #expect(recording.lines().count { $0 == "#EXT-X-DISCONTINUITY" } == 1)
        recording.play(40_000)
        #expect(recording.values(of: "EXT-X-DISCONTINUITY-SEQUENCE") == ["1"])
        #expect(recording.lines().count { $0 == "#EXT-X-DISCONTINUITY" } == 0)
    }

    @Test("4.4.3.3: a discontinuity that is first in the playlist is not counted yet") func firstDiscontinuity() {
        var recording = Recording { $0.window = 9_000_000_000 }
        recording.play(4_000)
        recording.announce([Recording.video, Recording.audio])
        while recording.lines().firstIndex(of: "#EXT-X-DISCONTINUITY") != 7 {
            recording.play(1_000)
            guard recording.now < 60_000 else { break }
        }
        #expect(recording.lines().contains("#EXT-X-DISCONTINUITY"))
        #expect(recording.values(of: "EXT-X-DISCONTINUITY-SEQUENCE").isEmpty)
    }

    @Test("4.4.3.4: an ended playlist says so, and hints at nothing") func endList() {
        var recording = recording()
        recording.segmenter.finish()
        let lines = recording.lines(hasEnded: true)
        #expect(lines.last == "#EXT-X-ENDLIST" && !lines.contains { $0.hasPrefix("#EXT-X-PRELOAD-HINT") })
        #expect(!recording.lines().contains("#EXT-X-ENDLIST"))
    }

    @Test("4.4.3.7: the part target is stated") func partTarget() {
        #expect(recording().values(of: "EXT-X-PART-INF") == ["PART-TARGET=0.217"])
    }

    @Test("4.4.3.8: what the server can, and how far clients stay behind") func serverControl() {
        // CAN-SKIP-UNTIL at least six targets, HOLD-BACK three, PART-HOLD-BACK three part targets.
        #expect(
            recording().values(of: "EXT-X-SERVER-CONTROL") == [
                "CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6,HOLD-BACK=3,PART-HOLD-BACK=0.651"
            ])
    }

    @Test("4.4.2.1: segments are said to be independent as long as they are") func independentSegments() {
        #expect(recording().lines().contains("#EXT-X-INDEPENDENT-SEGMENTS"))
        var other = recording(3_000)
        other.play(6_000, group: 4_000)
        #expect(!other.lines().contains("#EXT-X-INDEPENDENT-SEGMENTS"))
    }

    @Test("4.4.4.1: each segment has its duration and its name") func durations() {
        let lines = recording(3_200).lines()
        for number in 0..<3 {
            let index = lines.firstIndex(of: "ab-\(number).mp4")
            #expect(index.map { lines[$0 - 1] } == "#EXTINF:1,")
        }
    }

    @Test("4.4.4.5: a map precedes the first segment, and each that needs another") func maps() {
        var recording = Recording()
        recording.play(2_200)
        recording.announce([Recording.video, Recording.audio])
        recording.play(3_200)
        #expect(recording.values(of: "EXT-X-MAP") == [#"URI="ab-init1.mp4""#, #"URI="ab-init2.mp4""#])
        let lines = recording.lines()
        let index = lines.firstIndex(of: #"#EXT-X-MAP:URI="ab-init2.mp4""#)
        #expect(index.map { lines[$0 - 1] } == "#EXT-X-DISCONTINUITY")
    }

    @Test("4.4.4.6: the date is that of the first frame's capture") func dates() {
        #expect(
            recording(3_300).values(of: "EXT-X-PROGRAM-DATE-TIME") == [
                "2026-11-25T19:00:00.000Z", "2026-11-25T19:00:01.000Z", "2026-11-25T19:00:02.000Z",
                "2026-11-25T19:00:03.000Z",
            ])
    }

    @Test("4.4.4.7: what is missing is marked as a gap, and has no parts") func gaps() {
        var recording = Recording()
        recording.play(5_000)
        recording.segmenter.passed(9_100_000_000)
        let lines = recording.lines()
        #expect(lines.count { $0 == "#EXT-X-GAP" } == 2)
        let gap = lines.firstIndex(of: "#EXT-X-GAP") ?? 0
        #expect(lines[gap + 1] == "#EXTINF:1," && lines[gap + 2] == "ab-5.mp4")
        #expect(recording.segmenter.segment(5) == nil)
    }

    @Test("4.4.4.9: parts have a duration, a name, and say if decoding can start") func parts() {
        let parts = recording(3_500).values(of: "EXT-X-PART")
        #expect(
            parts.suffix(2) == [
                #"DURATION=0.2,URI="ab-3-0.mp4",INDEPENDENT=YES"#, #"DURATION=0.2,URI="ab-3-1.mp4""#,
            ])
    }

    @Test("6.2.2: parts are listed for the last three target durations") func partedSegments() {
        let parts = recording().values(of: "EXT-X-PART").compactMap { $0.split(separator: "-").dropFirst().first }
        #expect(Set(parts) == ["20", "19", "18", "17"])
    }

    @Test("6.2.2: a segment stays for the duration of the playlist after it has left it") func availability() throws {
        let recording = recording(60_000)
        let listed = recording.values(of: "EXTINF").count
        #expect(listed == 14)
        let first = try #require(recording.values(of: "EXT-X-MEDIA-SEQUENCE").first.flatMap { Int64($0) })
        #expect(recording.segmenter.segment(first - Int64(listed) - 1) != nil)
    }

    @Test("6.2.2: a playlist has three target durations at least") func minimumDuration() {
        var recording = Recording { $0.window = 10_000_000_000 }
        recording.play(80_000, group: 4_000)
        #expect(recording.values(of: "EXTINF").count >= 2)
        #expect(recording.durations.count >= 2)
    }

    @Test("4.4.5.3: the next part is hinted at") func preloadHint() {
        #expect(recording(3_500).values(of: "EXT-X-PRELOAD-HINT") == [#"TYPE=PART,URI="ab-3-2.mp4""#])
        var recording = recording(3_500)
        recording.segmenter.passed(9_000_000_000)
        #expect(recording.values(of: "EXT-X-PRELOAD-HINT") == [#"TYPE=PART,URI="ab-7-0.mp4""#])
    }

    @Test("4.4.5.4: other renditions are reported") func renditionReports() {
        let report = MediaPlaylist<[UInt8]>.Report(uri: "1.m3u8", newest: PlaylistPosition(segment: 7, part: 2))
        #expect(
            recording().lines([report]).last == #"#EXT-X-RENDITION-REPORT:URI="1.m3u8",LAST-MSN=7,LAST-PART=2"#)
    }

    @Test("6.2.5.1: a delta update leaves out what is older than six target durations") func deltaUpdates() {
        let recording = recording(40_500)
        let whole = recording.values(of: "EXTINF").count
        let delta = recording.values(of: "EXTINF", isDelta: true).count
        #expect(recording.values(of: "EXT-X-SKIP", isDelta: true) == ["SKIPPED-SEGMENTS=\(whole - delta)"])
        #expect(delta == 6 && whole == 14)
        #expect(
            recording.values(of: "EXT-X-MEDIA-SEQUENCE", isDelta: true) == recording.values(of: "EXT-X-MEDIA-SEQUENCE"))
        // The map of the segments that were left out still applies.
        #expect(recording.values(of: "EXT-X-MAP", isDelta: true).isEmpty)
    }

    @Test("6.2.5.1: a delta update of a short playlist is the whole one") func shortDelta() {
        #expect(recording(3_500).lines(isDelta: true) == recording(3_500).lines())
    }
}
