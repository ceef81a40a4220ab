import HLS
import Testing

@testable import Measuring

/// What viewers of HLS request, one after the other.
struct PlaylistFollowerTests {
    /// Segments 5 to 8 with an init segment each two, parts of 7 and 8 and of the open segment 9.
    private static let text = """
        #EXTM3U
        #EXT-X-TARGETDURATION:2
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1
        #EXT-X-MEDIA-SEQUENCE:5
        #EXT-X-MAP:URI="init0.mp4"
        #EXTINF:2,
        5.mp4
        #EXTINF:2,
        6.mp4
        #EXT-X-MAP:URI="init1.mp4"
        #EXTINF:2,
        7.mp4
        #EXT-X-PART:DURATION=1,URI="8-0.mp4",INDEPENDENT=YES
        #EXT-X-PART:DURATION=1,URI="8-1.mp4"
        #EXTINF:2,
        8.mp4

        """

    /// - Parameter parts: of the open segment.
    private func playlist(parts: Int = 0, segment: Int = 9, _ more: String = "") throws -> ReceivedPlaylist {
        let listed = (0..<parts).map { "#EXT-X-PART:DURATION=1,URI=\"\(segment)-\($0).mp4\"\n" }.joined()
        let last = (9..<max(9, segment)).map { "#EXTINF:2,\n\($0).mp4\n" }.joined()
        let hint = "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(segment)-\(parts).mp4\"\n"
        return try ReceivedPlaylist(Self.text + last + listed + hint + more)
    }

    private func begun(_ playback: HTTPStream.Playback = .lowLatency) -> PlaylistFollower {
        var follower = PlaylistFollower("/cam/index.m3u8?audio=0", playback)
        #expect(follower.first == .playlist("/cam/index.m3u8?audio=0"))
        #expect(
            follower.received(.qualities(["~0f/all-0.m3u8", "~0f/all-1.m3u8"])) == .playlist("/cam/~0f/all-0.m3u8"))
        #expect(!follower.isPlaying)
        return follower
    }

    /// A viewer that has requested the hinted part 9-0.
    private func waiting() throws -> PlaylistFollower {
        var follower = begun()
        #expect(follower.received(try playlist()) == .media("/cam/~0f/init1.mp4"))
        #expect(follower.isPlaying)
        #expect(follower.receivedMedia() == .media("/cam/~0f/8-0.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/8-1.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/9-0.mp4"))
        return follower
    }

    @Test func withLowLatencyEachPartIsRequestedBeforeItIsThere() throws {
        var follower = try waiting()
        #expect(follower.receivedMedia() == .playlist("/cam/~0f/all-0.m3u8?_HLS_msn=9&_HLS_part=0"))
        #expect(follower.received(try playlist(parts: 1)) == .media("/cam/~0f/9-1.mp4"))
        #expect(follower.receivedMedia() == .playlist("/cam/~0f/all-0.m3u8?_HLS_msn=9&_HLS_part=1"))
        // The segment has ended with this part.
        #expect(follower.received(try playlist(segment: 10)) == .media("/cam/~0f/10-0.mp4"))
    }

    @Test func aViewerThatIsBehindFetchesWhatIsListed() throws {
        var follower = try waiting()
        _ = follower.receivedMedia()
        #expect(follower.received(try playlist(parts: 3)) == .media("/cam/~0f/9-1.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/9-2.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/9-3.mp4"))
    }

    @Test func aHintedPartThatNeverComesIsFollowedByTheNextSegment() throws {
        var follower = try waiting()
        #expect(follower.mediaWasMissing() == .playlist("/cam/~0f/all-0.m3u8?_HLS_msn=9&_HLS_part=0"))
        #expect(follower.received(try playlist(parts: 1, segment: 10)) == .media("/cam/~0f/10-0.mp4"))
    }

    @Test func whatHasLeftThePlaylistIsSkipped() throws {
        var follower = begun()
        _ = follower.received(try playlist())
        _ = follower.receivedMedia()
        #expect(follower.mediaWasMissing() == .playlist("/cam/~0f/all-0.m3u8"))
        #expect(follower.received(try playlist(parts: 1, segment: 10)) == .media("/cam/~0f/init1.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/8-0.mp4"))
        _ = follower.mediaWasMissing()
        _ = follower.received(try playlist())
        _ = follower.mediaWasMissing()
        _ = follower.received(try playlist())
        #expect(follower.mediaWasMissing() == .end(.refused(status: 404, reason: "Not Found")))
    }

    @Test func withoutLowLatencyAViewerIsThreeSegmentsBehind() throws {
        var follower = begun(.segments)
        #expect(follower.received(try playlist(parts: 1)) == .media("/cam/~0f/init0.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/6.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/init1.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/7.mp4"))
        #expect(follower.receivedMedia() == .media("/cam/~0f/8.mp4"))
        #expect(follower.receivedMedia() == .wait(milliseconds: 2_000))
        #expect(follower.waited() == .playlist("/cam/~0f/all-0.m3u8"))
        #expect(follower.received(try playlist(parts: 1)) == .wait(milliseconds: 1_000))
        #expect(follower.received(try playlist(segment: 10)) == .media("/cam/~0f/9.mp4"))
    }

    @Test func aPlaylistThatEndsEndsTheViewer() throws {
        var follower = begun(.segments)
        _ = follower.received(try playlist(parts: 0, "#EXT-X-ENDLIST"))
        for _ in 0..<4 { _ = follower.receivedMedia() }
        #expect(follower.receivedMedia() == .end(.endedByServer))
    }

    @Test func lowLatencyNeedsBlockingReload() throws {
        var follower = PlaylistFollower("/a.m3u8", .lowLatency)
        let plain = try ReceivedPlaylist("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.mp4")
        #expect(follower.received(plain) == .end(.noLowLatency))
    }

    @Test(
        arguments: [
            ("x/y.mp4", "/cam/~0f/x/y.mp4"), ("/z.mp4", "/z.mp4"), ("y.mp4?a=b:c", "/cam/~0f/y.mp4?a=b:c"),
            ("//other/y.mp4", nil), ("http://other/y.mp4", nil), ("a b.mp4", nil), ("/a\tb.mp4", nil),
        ] as [(String, String?)])
    func mediaAreThoseOfTheSameServer(_ uri: String, _ target: String?) throws {
        var follower = begun(.segments)
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n"
        guard let target else {
            #expect(follower.received(try ReceivedPlaylist(text + uri)) == .end(.otherServer(uri)))
            return
        }
        #expect(follower.received(try ReceivedPlaylist(text + uri)) == .media(target))
    }
}
