import Foundation
import HLS
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// HLS: lists of qualities, playlists, parts and segments, and requests that wait for them.
struct PlaybackTests {
    /// A stream with two finished segments and three parts of the next.
    private var live: LiveStream {
        let live = LiveStream()
        live.publishGroup(25)
        live.publishGroup(25)
        live.publishGroup(16)
        return live
    }

    @Test func theQualitiesAreListed() async throws {
        try await TestServer.serve([live]) { server in
            let response = try #require(try server.connect().ask("GET /cam/index.m3u8"))
            #expect(response.status == 200 && response.header("Content-Type") == "application/vnd.apple.mpegurl")
            #expect(response.header("Cache-Control") == "no-store")
            let lines = response.text.split(separator: "\n")
            #expect(lines[2].contains(#"CODECS="avc1.42C01E",RESOLUTION=640x480"#), "\(response.text)")
            #expect(lines[3].wholeMatch(of: /~[0-9a-f]{32}\/all-0\.m3u8/) != nil)
        }
    }

    /// The first milliseconds of a stream say nothing of its bitrate.
    @Test func theQualitiesWaitForTheFirstSegment() async throws {
        let live = LiveStream()
        live.publishGroup(1)
        try await TestServer.serve([live]) { server in
            let client = try server.connect()
            client.send("GET /cam/index.m3u8 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.bytes(atLeast: 1, within: 0.2).isEmpty)
            for count in [24, 1] { live.publishGroup(count, byteCount: 1_000) }
            let text = try #require(client.response()).text
            let bitrate = text.split(separator: "BANDWIDTH=").dropFirst().first.flatMap { Int($0.prefix { $0 != "," }) }
            #expect(try #require(bitrate) > 200_000, "\(text)")
        }
    }

    @Test func substreamsAreQualitiesOfTheirStream() async throws {
        let (main, sub) = (live, LiveStream("/cam/sub"))
        main.publishGroup(25)
        for count in [25, 25, 25, 4] { sub.publishGroup(count) }
        try await TestServer.serve([main, sub]) { server in
            server.services.substreams.withLock { $0["/cam"] = ["/cam/sub"] }
            let player = try Player(server, "/cam")
            #expect(player.playlists.map { $0.suffix(10) } == ["all-0.m3u8", "all-1.m3u8"])
            let playlist = try #require(player.playlist(1))
            #expect(playlist.contains("#EXT-X-RENDITION-REPORT:URI=\"all-0.m3u8\""))
        }
    }

    @Test func playlistsNameWhatCanBeFetched() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let lines = try #require(player.playlist()).split(separator: "\n").map(String.init)
            let map = try #require(lines.first { $0.hasPrefix("#EXT-X-MAP") }?.split(separator: "\"")[1])
            #expect(MovieBoxes(player.get(String(map))?.body ?? []).types == ["ftyp", "moov"])
            let segments = lines.filter { $0.hasSuffix(".mp4") }
            #expect(segments.count == 2)
            let segment = try #require(player.get(segments[1]))
            #expect(segment.header("Cache-Control") == "max-age=3600, immutable")
            #expect(segment.header("Content-Type") == "video/mp4")
            #expect(MovieBoxes(segment.body).fragments.count == 5)
            #expect(MovieBoxes(segment.body).fragments.first?.isKeyframe == true)
            // A segment is its parts.
            let prefix = String(segments[1].dropLast(4))
            let parts = (0..<5).flatMap { player.get("\(prefix)-\($0).mp4")?.body ?? [] }
            #expect(parts == segment.body)
        }
    }

    @Test func partsOfABodyCanBeAskedFor() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let segment = try #require(player.segments.last)
            let whole = try #require(player.get(segment)).body
            let part = try #require(player.get(segment, "Range: bytes=2000-5999"))
            #expect(part.status == 206 && part.body == Array(whole[2000..<6000]))
            #expect(part.header("Content-Range") == "bytes 2000-5999/\(whole.count)")
            #expect(player.get(segment, "Range: bytes=\(whole.count)-")?.status == 416)
            #expect(player.get(segment, "Range: bytes=-1")?.body == [whole[whole.count - 1]])
            #expect(player.get(segment, "Range: bytes=9-1")?.body == whole)
        }
    }

    @Test func headTellsTheLength() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let segment = try #require(player.segments.last)
            let whole = try #require(player.get(segment)).body
            let client = try server.connect()
            let head = client.ask("HEAD \(player.folder)/\(segment)")
            #expect(head?.header("Content-Length") == "\(whole.count)" && head?.body.isEmpty == true)
            #expect(client.ask("HEAD /cam/index.m3u8")?.status == 200)
        }
    }

    @Test(arguments: [
        "all-9.m3u8", "audio-1.m3u8", "x.m3u8", "0-1.mp4", "ffffffff-7.mp4", "RUN-7.mp4", "RUN-init9.mp4",
        "RUN-99999999999999.mp4",
        "RUN-LAST-9.mp4", "",
    ])
    func whatIsNeitherThereNorHintedAtIsMissing(name: String) async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let words = try #require(player.segments.last).dropLast(4).split(separator: "-")
            let text = name.replacing("RUN", with: words[0]).replacing("LAST", with: words[1])
            #expect(player.get(text)?.status == 404, "\(text)")
        }
    }

    @Test func aPlaylistIsSentOnceItHasThePart() async throws {
        let live = live
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let hint = try #require(player.hint)
            player.send("all-0.m3u8?_HLS_msn=\(hint.segment)&_HLS_part=\(hint.part)")
            player.send(hint.name, on: player.second)
            #expect(player.client.bytes(atLeast: 1, within: 0.2).isEmpty)
            for _ in 0..<6 { live.publish() }
            let response = try #require(player.client.response())
            #expect(response.text.contains("URI=\"\(hint.name)\"") && response.header("Cache-Control") == "max-age=6")
            let part = try #require(player.second.response())
            #expect(part.status == 200 && MovieBoxes(part.body).fragments.count == 1)
        }
    }

    @Test(arguments: [
        "_HLS_part=1", "_HLS_msn=x", "_HLS_msn=-1", "_HLS_msn=99999999999", "_HLS_skip=maybe",
        "_HLS_msn=9999999999999999&_HLS_part=9999999999999999",
    ])
    func directivesThatMeanNothingAreRefused(query: String) async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            #expect(player.get("all-0.m3u8?\(query)")?.status == 400)
        }
    }

    @Test func aRequestThatWaitsTooLongIsRefused() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let hint = try #require(player.hint)
            #expect(player.get("all-0.m3u8?_HLS_msn=\(hint.segment)&_HLS_part=\(hint.part)")?.status == 503)
        }
    }

    @Test func anUnchangedPlaylistIsNotSentAgain() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let first = try #require(player.get("all-0.m3u8"))
            #expect(first.header("Cache-Control") == "no-cache")
            let tag = try #require(first.header("ETag"))
            #expect(player.get("all-0.m3u8", "If-None-Match: \(tag)")?.status == 304)
        }
    }

    @Test func playlistsAreCompressedForClientsThatCanReadThem() async throws {
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let plain = try #require(player.get("all-0.m3u8"))
            let small = try #require(player.get("all-0.m3u8", "Accept-Encoding: br, gzip;q=0.5"))
            #expect(small.header("Content-Encoding") == "gzip" && small.header("Vary") == "Accept-Encoding")
            #expect(small.body.prefix(2) == [0x1F, 0x8B] && small.body.count < plain.body.count / 2)
            let refused = player.get("all-0.m3u8", "Accept-Encoding: gzip;q=0, identity")
            #expect(refused?.header("Content-Encoding") == nil && refused?.body == plain.body)
        }
    }

    @Test func audioCanBePlayedAlone() async throws {
        let live = LiveStream(hasAudio: true)
        for index in 0..<60 {
            live.publish(isKeyframe: index % 25 == 0)
            live.publishAudio()
        }
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam", "?video=0")
            #expect(player.qualities.contains("CODECS=\"mp4a.40.2\"") && player.playlists.count == 1)
            let name = try #require(player.segments.last)
            let segment = try #require(player.get(name))
            #expect(Set(MovieBoxes(segment.body).fragments.map(\.track)) == [2])
        }
    }

    @Test func aStreamWithoutSuchTracksIsRefused() async throws {
        try await TestServer.serve([live]) { server in
            let client = try server.connect()
            #expect(client.ask("GET /cam/index.m3u8?video=0")?.status == 406)
            #expect(client.ask("GET /cam/index.m3u8?audio=2")?.status == 400)
            #expect(client.ask("GET /cam/index.m3u8?duration=2")?.status == 400)
            #expect(client.ask("GET /none/index.m3u8")?.status == 404)
        }
    }

    @Test func aStreamWithoutMediaIsRefusedAfterAWhile() async throws {
        try await TestServer.serve([LiveStream(isAnnounced: false)], { $0.firstMediaMilliseconds = 50 }) { server in
            let response = try server.connect().ask("GET /cam/index.m3u8")
            #expect(response?.status == 503 && response?.header("Retry-After") != nil)
        }
    }

    @Test func thePlaylistOfAFinishedInputEnds() async throws {
        let live = live
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            live.stream.end()
            #expect(await eventually(within: 20) { player.playlist()?.hasSuffix("#EXT-X-ENDLIST\n") == true })
            // Nothing is waited for any more.
            #expect(player.get("all-0.m3u8?_HLS_msn=99999999999")?.status == 200)
        }
    }

    @Test func aRemovedStreamEndsTheRequestsThatWait() async throws {
        let live = live
        try await TestServer.serve([live]) { server in
            let player = try Player(server, "/cam")
            let hint = try #require(player.hint)
            player.send(hint.name)
            #expect(player.client.bytes(atLeast: 1, within: 0.1).isEmpty)
            await server.server.withdraw(live.stream)
            #expect(player.client.response()?.status == 404)
        }
    }

    @Test func aSegmenterEndsSomeTimeAfterTheLastRequest() async throws {
        let live = live
        try await TestServer.serve([live], { $0.playback.idleMilliseconds = 200 }) { server in
            let player = try Player(server, "/cam")
            let former = try #require(player.segments.last)
            #expect(live.stream.demand.isNeeded)
            #expect(await eventually(within: 20) { !live.stream.demand.isNeeded })
            #expect(player.get(former)?.status == 404)
            // The playlist has the same name, and other segments.
            let segment = try #require(player.segments.last)
            #expect(segment != former && player.get(segment)?.status == 200)
        }
    }

    /// Else a player that changes to another quality would wait for its encoder.
    @Test func allQualitiesStayWhileOneIsPlayed() async throws {
        let (main, sub) = (live, LiveStream("/cam/sub"))
        for stream in [main, sub] {
            for count in [25, 25, 25, 4] { stream.publishGroup(count) }
        }
        try await TestServer.serve([main, sub], { $0.playback.idleMilliseconds = 200 }) { server in
            server.services.substreams.withLock { $0["/cam"] = ["/cam/sub"] }
            let player = try Player(server, "/cam")
            let end = ContinuousClock.now + .milliseconds(800)
            repeat { #expect(player.playlist(0) != nil) } while .now < end
            #expect(sub.stream.demand.isNeeded)
            #expect(await eventually(within: 20) { !sub.stream.demand.isNeeded && !main.stream.demand.isNeeded })
        }
    }
}
