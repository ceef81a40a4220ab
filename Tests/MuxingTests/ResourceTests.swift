import Foundation
import Media
import Muxing
import TestSupport
import Testing

/// What the demuxer reads of a URL comes through an opener, also what is named in playlists.
@Suite struct ResourceTests {
    /// Files in memory, by URL.
    private final class Opener: ResourceOpener {
        private let files: [String: [UInt8]]
        /// The URLs that were opened, and whether a resource has named them.
        private(set) var opened: [(url: String, isNamed: Bool)] = []
        /// The URL of a file after a redirection.
        var moved: [String: String] = [:]

        init(_ files: [String: [UInt8]]) {
            self.files = files
        }

        func open(
            _ url: String, _ range: ResourceRange, from origin: ResourceOrigin
        ) throws(ResourceFailure) -> any Resource {
            opened.append((url, origin == .resource))
            let location = moved[url] ?? url
            guard let file = files[location] else { throw ResourceFailure("no such file") }
            let end = range.end.map(Int.init) ?? file.count
            return File(location, Array(file[Int(range.start)..<end]))
        }
    }

    private final class File: Resource {
        let location: String
        let mediaType = ""
        private let bytes: [UInt8]
        private var position = 0
        var byteCount: Int64? { Int64(bytes.count) }

        init(_ location: String, _ bytes: [UInt8]) {
            (self.location, self.bytes) = (location, bytes)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(buffer.count, bytes.count - position)
            buffer.copyBytes(from: bytes[position..<position + count])
            position += count
            return count
        }

        func seek(to position: Int64) { self.position = Int(position) }
    }

    /// The files of a playlist that ffmpeg writes, below `http://h/`.
    private static func playlist(_ options: [String], in folder: TemporaryFolder) async throws -> [String: [UInt8]] {
        let command =
            ["ffmpeg", "-nostdin", "-v", "error", "-i", try await Clip.plain.path(), "-c", "copy", "-f", "hls"]
            + ["-hls_time", "1", "-hls_playlist_type", "vod"] + options + [folder.file("index.m3u8")]
        let outcome = try await Command.run(command)
        try #require(outcome.status == 0, "\(outcome.diagnostics)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(uniqueKeysWithValues: names.map { ("http://h/\($0)", folder.bytes($0)) })
    }

    private static func demuxer(_ url: String, through opener: Opener) throws -> Demuxer {
        try Demuxer(.url(url, name: url), through: opener)
    }

    private static func packets(_ demuxer: Demuxer) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = try demuxer.next() {
            if packet.track == demuxer.tracks[0].index { packets.append(packet.bytes) }
        }
        return packets
    }

    @Test func aFileIsReadAndRewound() async throws {
        let clip = try await Clip.plain.path()
        let opener = Opener(["http://h/clip.mp4": Array(try Data(contentsOf: URL(filePath: clip)))])
        let demuxer = try Self.demuxer("http://h/clip.mp4", through: opener)
        let original = try Self.packets(Demuxer(.file(clip)))
        #expect(try Self.packets(demuxer) == original)
        try demuxer.rewind()
        #expect(try Self.packets(demuxer) == original)
        #expect(!demuxer.isLive && opener.opened.map(\.isNamed) == [false])
    }

    /// Segments in files of their own, in parts of one file, and encrypted.
    @Test(arguments: [[], ["-hls_flags", "single_file"], ["-hls_key_info_file"]])
    func segmentsComeThroughTheOpener(options: [String]) async throws {
        let folder = try TemporaryFolder()
        var options = options
        if options == ["-hls_key_info_file"] {
            try folder.write("0123456789abcdef", to: "key.bin")
            try folder.write("key.bin\n\(folder.file("key.bin"))\n", to: "key.info")
            options.append(folder.file("key.info"))
        }
        let opener = Opener(try await Self.playlist(options, in: folder))
        let demuxer = try Self.demuxer("http://h/index.m3u8", through: opener)
        #expect(demuxer.tracks.map(\.codecName) == ["h264", "aac"])
        #expect(try Self.packets(demuxer).count == 180)
        #expect(opener.opened.first?.isNamed == false)
        #expect(opener.opened.count >= 6 && opener.opened.dropFirst().allSatisfy(\.isNamed))
    }

    /// URLs in a playlist are relative to where it was found.
    @Test func aPlaylistMayHaveMoved() async throws {
        let folder = try TemporaryFolder()
        let files = try await Self.playlist([], in: folder)
        let moved = Dictionary(
            uniqueKeysWithValues: files.map { ($0.key.replacing("//h/", with: "//other/new/"), $0.value) })
        let opener = Opener(moved)
        opener.moved = ["http://h/index.m3u8": "http://other/new/index.m3u8"]
        #expect(try Self.packets(Self.demuxer("http://h/index.m3u8", through: opener)).count == 180)
    }

    /// Files of this host, other protocols, and formats that open URLs by themselves.
    @Test(arguments: [
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd.ts\n#EXT-X-ENDLIST\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ntcp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile http://127.0.0.1:9/a.mp4\n",
        "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
        "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
            + "mediaPresentationDuration=\"PT1S\"><Period><AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\">"
            + "<BaseURL>http://127.0.0.1:9/a.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
    ])
    func whatTheOpenerDoesNotOpenIsNotRead(text: String) throws {
        let url = "http://h/list"
        let opener = Opener([url: Array(text.utf8)])
        #expect(throws: DemuxFailure.self) { try Self.packets(Self.demuxer(url, through: opener)) }
        #expect(opener.opened.map(\.url) == [url])
    }

    @Test func theReasonOfAFailureIsThatOfTheOpener() throws {
        let failure = #expect(throws: DemuxFailure.self) { try Self.demuxer("http://h/a", through: Opener([:])) }
        #expect(failure?.reason == "http://h/a cannot be read: no such file")
    }

    /// Every host can send datagrams, so these are read as a transport stream and nothing else.
    @Test func datagramsNameNothing() throws {
        let url = "udp://@:9"
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n"
        let opener = Opener([url: Array(text.utf8)])
        #expect(throws: DemuxFailure.self) { try Self.packets(Self.demuxer(url, through: opener)) }
        #expect(opener.opened.map(\.url) == [url])
    }

    /// Bytes that come until the sender is away.
    private final class Broadcast: ResourceOpener, Resource {
        let location = "udp://@:9"
        let mediaType = ""
        let byteCount: Int64? = nil
        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        func open(_ url: String, _ range: ResourceRange, from origin: ResourceOrigin) -> any Resource { self }

        func seek(to position: Int64) {}

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(ResourceFailure) -> Int {
            guard !rest.isEmpty else { throw ResourceFailure("the sender is away") }
            let count = min(buffer.count, rest.count, 1_472)
            buffer.copyBytes(from: rest.prefix(count))
            rest.removeFirst(count)
            return count
        }
    }

    @Test(arguments: [0, 100])
    func aLiveStreamEndsWithTheReasonOfTheOpener(missingByteCount: Int) async throws {
        let folder = try TemporaryFolder()
        let command =
            ["ffmpeg", "-nostdin", "-v", "error", "-i", try await Clip.plain.path(), "-c", "copy", "-f", "mpegts"]
            + [folder.file("clip.ts")]
        let outcome = try await Command.run(command)
        try #require(outcome.status == 0, "\(outcome.diagnostics)")
        let broadcast = Broadcast(folder.bytes("clip.ts").dropLast(missingByteCount))
        let demuxer = try Demuxer(.url(broadcast.location, name: "udp://@:9"), through: broadcast)
        #expect(demuxer.isLive && demuxer.tracks.map(\.codecName) == ["h264", "aac"])
        let failure = #expect(throws: DemuxFailure.self) { while try demuxer.next() != nil {} }
        #expect(failure?.reason == "udp://@:9 has ended: the sender is away")
    }

    /// A playlist in a pipe names nothing on this host.
    @Test func aPipeNamesNoFiles() async throws {
        let folder = try TemporaryFolder()
        _ = try await Self.playlist([], in: folder)
        let text = String(decoding: folder.bytes("index.m3u8"), as: UTF8.self)
            .replacing("index", with: folder.file("index"))
        var rest = Array(text.utf8)[...]
        let bytes = ByteInput { buffer in
            let count = min(buffer.count, rest.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest.removeFirst(count)
            return count
        }
        #expect(throws: DemuxFailure.self) { try Demuxer(.bytes(name: "pipe"), reading: bytes) }
    }
}
