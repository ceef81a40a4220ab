import Testing

@testable import HLS

/// Playlists are read as the writer writes them, and as other servers do.
struct ReceivedPlaylistTests {
    private func media(_ text: String) throws -> ReceivedMediaPlaylist {
        guard case .media(let playlist) = try ReceivedPlaylist(text) else {
            throw ReceivedPlaylist.Failure.noPlaylist
        }
        return playlist
    }

    @Test func whatIsWrittenIsRead() throws {
        var recording = Recording { $0.firstNumber = 100 }
        recording.play(20_500)
        let text = recording.lines().joined(separator: "\n")
        let playlist = try media(text)
        #expect(playlist.targetSeconds == 1 && playlist.canBlock && !playlist.hasEnded)
        let numbers = playlist.segments.map(\.position.segment)
        let last = try #require(numbers.last)
        #expect(numbers == Array(last + 1 - Int64(numbers.count)...last))
        #expect(numbers.count == recording.values(of: "EXTINF").count)
        for segment in playlist.segments {
            #expect(segment.uri == ResourceName.segment(run: "ab", segment.position.segment).text)
            #expect(segment.initURI == "ab-init0.mp4" || segment.initURI == "ab-init1.mp4")
        }
        for part in playlist.parts {
            #expect(part.uri == ResourceName.part(run: "ab", part.position).text)
            #expect(part.isIndependent == (part.position.part == 0))
        }
        #expect(playlist.parts.count == recording.values(of: "EXT-X-PART").count)
        let hint = try #require(playlist.hint)
        #expect(hint.position == recording.segmenter.edge)
        #expect(hint.uri == ResourceName.part(run: "ab", hint.position).text)
        // The same with line ends of other servers, and with one behind the last line.
        #expect(try media(recording.lines().joined(separator: "\r\n") + "\r\n") == playlist)
    }

    @Test func anEndedPlaylistHasNoHint() throws {
        var recording = Recording()
        recording.play(5_000)
        recording.segmenter.finish()
        let playlist = try media(recording.lines(hasEnded: true).joined(separator: "\n"))
        #expect(playlist.hasEnded && playlist.hint == nil && playlist.segments.count == 5)
    }

    @Test func theQualitiesOfAStreamAreRead() throws {
        let text = """
            #EXTM3U
            #EXT-X-SESSION-DATA:DATA-ID="apus.title",VALUE="a,b=c"
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,CODECS="avc1.64001e,mp4a.40.2"
            ~0f/all-0.m3u8
            # a comment
            #EXT-X-STREAM-INF:BANDWIDTH=300000

            ~0f/all-1.m3u8
            """
        #expect(try ReceivedPlaylist(text) == .qualities(["~0f/all-0.m3u8", "~0f/all-1.m3u8"]))
    }

    @Test func whatIsMissingIsLeftOutAndItsNumberIsKept() throws {
        let playlist = try media(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:7
            #EXT-X-MAP:URI="a.mp4"
            #EXTINF:4,
            7.mp4
            #EXT-X-GAP
            #EXTINF:4,
            8.mp4
            #EXT-X-MAP:URI="b.mp4"
            #EXT-X-PART:DURATION=1,URI="9-0.mp4",GAP=YES
            #EXT-X-PART:DURATION=1,URI="9-1.mp4",INDEPENDENT=YES
            #EXTINF:2,a title, with commas
            9.mp4
            #EXT-X-PRELOAD-HINT:TYPE=MAP,URI="c.mp4"
            """)
        #expect(!playlist.canBlock && playlist.hint == nil)
        #expect(
            playlist.segments == [
                .init(PlaylistPosition(segment: 7, part: 0), uri: "7.mp4", initURI: "a.mp4", isIndependent: true),
                .init(PlaylistPosition(segment: 9, part: 0), uri: "9.mp4", initURI: "b.mp4", isIndependent: true),
            ])
        #expect(
            playlist.parts == [
                .init(PlaylistPosition(segment: 9, part: 1), uri: "9-1.mp4", initURI: "b.mp4", isIndependent: true)
            ])
    }

    @Test(
        arguments: [
            ("", .noPlaylist), ("<html>", .noPlaylist), ("#EXTM3U\n", .noPlaylist),
            ("#EXTM3U\na.mp4", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:1.5", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-TARGETDURATION:99999999999999999", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:-1", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-PART:URI=\"a\"\n#EXT-X-MEDIA-SEQUENCE:7", .malformed(line: 3)),
            ("#EXTM3U\n#EXT-X-PART:DURATION=1", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-MAP:URI=\"a", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-MAP:URI", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-MAP:URI=\"a\"b", .malformed(line: 2)),
            ("#EXTM3U\n#EXT-X-MAP:URI=\"a\",BYTERANGE=\"9@0\"", .unsupported("BYTERANGE")),
            ("#EXTM3U\n#EXT-X-BYTERANGE:9@0", .unsupported("EXT-X-BYTERANGE")),
            ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", .unsupported("EXT-X-KEY")),
            ("#EXTM3U\n#EXT-X-SKIP:SKIPPED-SEGMENTS=3", .unsupported("EXT-X-SKIP")),
        ] as [(String, ReceivedPlaylist.Failure)])
    func whatCannotBeReadIsRefused(_ text: String, _ failure: ReceivedPlaylist.Failure) {
        #expect(throws: failure) { try ReceivedPlaylist(text) }
    }

    @Test func aPlaylistHasAGreatestLength() {
        let comment = "#EXTM3U\n#" + String(repeating: "x", count: ReceivedPlaylist.maximumByteCount)
        #expect(throws: ReceivedPlaylist.Failure.tooLong) { try ReceivedPlaylist(comment) }
    }

    /// Whatever is damaged, the reader returns or throws.
    @Test func aDamagedPlaylistDoesNoHarm() throws {
        var recording = Recording()
        recording.play(3_300)
        let bytes = Array(recording.lines().joined(separator: "\n").utf8)
        for index in bytes.indices {
            for value in [0, 0x0A, 0x22, 0x2C, 0x3A, 0x3D, 0x39, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                _ = try? ReceivedPlaylist(String(decoding: damaged, as: UTF8.self))
            }
            _ = try? ReceivedPlaylist(String(decoding: bytes[..<index], as: UTF8.self))
        }
    }
}
