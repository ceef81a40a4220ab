import Media
import Streams
import TestSupport
import Testing

@testable import HTTPServer

/// Endless files: what they begin with, what they leave out, and how they end.
struct EndlessFileTests {
    /// The file as far as it has come, once it has so many fragments.
    private func file(_ client: HTTPSocket, fragments: Int) -> MovieBoxes {
        var (raw, boxes): ([UInt8], MovieBoxes) = ([], MovieBoxes([]))
        while boxes.fragments.count < fragments {
            let bytes = client.bytes(atLeast: 1)
            if bytes.isEmpty { break }
            raw += bytes
            boxes = MovieBoxes(dechunked(raw))
        }
        return boxes
    }

    private func begin(_ server: TestServer, _ target: String) throws -> (HTTPSocket, HTTPSocket.Response) {
        let client = try server.connect()
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return (client, try #require(client.response()))
    }

    @Test func everyFileBeginsWithAKeyframeAtZero() async throws {
        let live = LiveStream(hasAudio: true)
        live.publishGroup(7)
        try await TestServer.serve([live]) { server in
            for _ in 0..<2 {
                let (client, response) = try begin(server, "/cam/index.mp4")
                #expect(response.status == 200 && response.header("Transfer-Encoding") == "chunked")
                #expect(response.header("Content-Type") == "video/mp4; codecs=\"avc3.42C01E, mp4a.40.2\"")
                let boxes = file(client, fragments: 1)
                #expect(boxes.types.prefix(2) == ["ftyp", "moov"])
                #expect(boxes.fragments.first == .init(track: 1, decodeTime: 0, isKeyframe: true))
                // The second file begins in the middle of a group of pictures.
                live.publish()
            }
        }
    }

    @Test func theFramesContinueLiveWithoutAGap() async throws {
        let live = LiveStream()
        live.publishGroup(3)
        try await TestServer.serve([live]) { server in
            let (client, _) = try begin(server, "/cam/index.mp4")
            #expect(file(client, fragments: 3).fragments.count == 3)
            for _ in 0..<5 { live.publish() }
            let times = try #require(client.chunks(of: 5)).flatMap { MovieBoxes($0).fragments }.map(\.decodeTime)
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 == $0 + 3_600 } && times.count == 5)
        }
    }

    /// Chromium's `<video>` plays what is in whole blocks.
    @Test func theFileOfAClientThatReadsBlocksIsPaddedToThem() async throws {
        let live = LiveStream()
        live.publishGroup(3)
        try await TestServer.serve([live]) { server in
            let client = try server.connect()
            let headers = "Range: bytes=0-\r\nAccept-Encoding: identity;q=1, *;q=0\r\n"
            client.send("GET /cam/index.mp4 HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
            #expect(client.response()?.status == 200)
            var raw: [UInt8] = []
            while dechunked(raw).count < BlockPadding.blockByteCount {
                let bytes = client.bytes(atLeast: 1)
                try #require(!bytes.isEmpty)
                raw += bytes
            }
            let boxes = MovieBoxes(dechunked(raw))
            #expect(dechunked(raw).count == BlockPadding.blockByteCount)
            #expect(boxes.fragments.count == 3 && boxes.types.last == "free")
        }
    }

    @Test func tracksCanBeLeftOut() async throws {
        let live = LiveStream(hasAudio: true)
        try await TestServer.serve([live]) { server in
            let (video, head) = try begin(server, "/cam/index.mp4?audio=0")
            let (audio, other) = try begin(server, "/cam/index.mp4?video=0")
            #expect(head.header("Content-Type") == "video/mp4; codecs=\"avc3.42C01E\"")
            #expect(other.header("Content-Type") == "audio/mp4; codecs=\"mp4a.40.2\"")
            for index in 0..<4 {
                live.publish(isKeyframe: index == 0)
                live.publishAudio()
            }
            #expect(Set(file(video, fragments: 4).fragments.map(\.track)) == [1])
            #expect(Set(file(audio, fragments: 4).fragments.map(\.track)) == [2])
        }
    }

    @Test(arguments: ["audio=2", "video=no", "audio=0&video=0", "duration=0", "duration=ten", "duration=99999999"])
    func aQueryThatMeansNothingIsRefused(query: String) async throws {
        try await TestServer.serve([LiveStream()]) { server in
            let client = try server.connect()
            #expect(client.ask("GET /cam/index.mp4?\(query)")?.status == 400)
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
        }
    }

    @Test func aFileWithADurationEndsAndTheConnectionStays() async throws {
        let live = LiveStream()
        try await TestServer.serve([live]) { server in
            let (client, _) = try begin(server, "/cam/index.mp4?duration=1")
            live.publishGroup(40)
            var raw: [UInt8] = []
            while !raw.suffix(5).elementsEqual("0\r\n\r\n".utf8) {
                let bytes = client.bytes(atLeast: 1)
                try #require(!bytes.isEmpty)
                raw += bytes
            }
            #expect(MovieBoxes(dechunked(raw)).fragments.count == 25)
            // The file has ended, and so the next request is answered.
            #expect(client.ask("GET /open")?.text == "hello\n")
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
        }
    }

    @Test func headTellsTheCodecsAndIsNoViewer() async throws {
        let sleeping = LiveStream("/sleeping", isAnnounced: false)
        try await TestServer.serve([LiveStream(), sleeping]) { server in
            let client = try server.connect()
            #expect(client.ask("HEAD /cam/index.mp4")?.header("Content-Type") == "video/mp4; codecs=\"avc3.42C01E\"")
            #expect(client.ask("HEAD /sleeping/index.mp4")?.header("Content-Type") == "video/mp4")
            #expect(client.ask("HEAD /cam/index.mp4?video=0")?.status == 406)
            #expect(client.ask("GET /cam/index.mp4?video=0")?.status == 406)
            #expect(client.ask("GET /none/index.mp4")?.status == 404)
            #expect(
                await eventually(within: 20) {
                    server.services.viewers.withLock(\.self) == 0 && !sleeping.stream.demand.isNeeded
                })
        }
    }

    @Test func aSourceWithoutMediaIsWaitedFor() async throws {
        let live = LiveStream(isAnnounced: false)
        try await TestServer.serve([live], { $0.firstMediaMilliseconds = 200 }) { server in
            let response = try #require(try server.connect().ask("GET /cam/index.mp4"))
            #expect(response.status == 503 && response.header("Retry-After") == "2")
            #expect(await eventually(within: 20) { !live.stream.demand.isNeeded })
        }
        // A busy machine may take its time.
        try await TestServer.serve([live], { $0.firstMediaMilliseconds = 60_000 }) { server in
            let client = try server.connect()
            client.send("GET /cam/index.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await eventually(within: 20) { live.stream.demand.isNeeded })
            live.announce()
            live.publishGroup(1)
            #expect(client.response()?.status == 200)
        }
    }

    /// A client of HTTP/1.0 knows no chunks: its file ends with the connection.
    @Test func aClientOfHTTP10GetsTheFileAsItIs() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await TestServer.serve([live]) { server in
            let client = try server.connect()
            client.send("GET /cam/index.mp4 HTTP/1.0\r\nHost: localhost\r\n\r\n")
            let response = try #require(client.response())
            #expect(response.header("Transfer-Encoding") == nil && response.header("Connection") == "close")
            #expect(MovieBoxes(client.bytes(atLeast: 1_500)).types.prefix(2) == ["ftyp", "moov"])
        }
    }

    @Test func aStreamThatIsWithdrawnEndsItsFiles() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await TestServer.serve([live]) { server in
            let (client, _) = try begin(server, "/cam/index.mp4")
            #expect(file(client, fragments: 2).fragments.count == 2)
            await server.server.withdraw(live.stream)
            #expect(String(decoding: client.bytes(atLeast: 7), as: UTF8.self) == "\r\n0\r\n\r\n")
            #expect(client.isClosedByServer())
            #expect(await eventually(within: 20) { server.services.viewers.withLock(\.self) == 0 })
            #expect(await eventually(within: 20) { !live.stream.demand.isNeeded })
        }
    }

    @Test func viewersAreListedAndCanBeDisconnected() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await TestServer.serve([live], limit: 1) { server in
            let (client, _) = try begin(server, "/cam/index.mp4")
            _ = file(client, fragments: 2)
            let viewers = await server.server.viewers(at: .now())
            #expect(viewers.map(\.path) == ["/cam"] && viewers.map(\.transport) == ["MP4"])
            #expect(await server.server.viewerCounts() == ["/cam": 1])
            let id = try #require(viewers.first?.id)
            #expect(await server.server.disconnect(viewer: "v0") == false)
            #expect(await server.server.disconnect(viewer: id))
            #expect(client.bytes(atLeast: 7).count == 7 && client.isClosedByServer())
            #expect(await server.server.viewers(at: .now()).isEmpty)
        }
    }

    /// A client that does not read skips to a keyframe, and its file stays valid.
    @Test func aSlowClientSkipsToAKeyframe() async throws {
        let live = LiveStream()
        try await TestServer.serve([live], { $0.policy.maximumLag = 20_000_000 }) { server in
            let (client, _) = try begin(server, "/cam/index.mp4")
            // Far more than the buffers of both ends hold.
            for index in 0..<400 { live.publish(isKeyframe: index % 20 == 0, byteCount: 100_000) }
            func dropped() async -> UInt64 { await server.server.liveStatistics().map(\.droppedUnits).reduce(0, +) }
            #expect(
                await eventually(within: 10) {
                    live.publish(isKeyframe: true, byteCount: 1_000)
                    return await dropped() > 0
                })
            var raw: [UInt8] = []
            #expect(
                await eventually(within: 60) {
                    live.publish(isKeyframe: true, byteCount: 1_000)
                    raw += client.bytes(atLeast: 4_000_000, within: 0.5)
                    return MovieBoxes(dechunked(raw)).fragments.hasGap
                })
            let fragments = MovieBoxes(dechunked(raw)).fragments
            for (before, after) in zip(fragments, fragments.dropFirst()) {
                #expect(after.decodeTime > before.decodeTime)
                #expect(after.decodeTime == before.decodeTime + 3_600 || after.isKeyframe)
            }
        }
    }

    /// The fast start is larger than what the buffers of both ends hold, and the client has not read it yet when more frames come.
    @Test func aFastStartThatIsReadSlowlyIsNotSkipped() async throws {
        // From two seconds on, the client may be too late; so on a busy machine it is tried again.
        for _ in 0..<20 {
            let live = LiveStream()
            live.publishGroup(100, byteCount: 4_000)
            var isInTime = false
            try await TestServer.serve([live]) { server in
                let start = ContinuousClock.now
                let client = HTTPSocket(over: try LoopbackSocket(port: server.port(.clear), bufferByteCount: 16_384))
                client.send("GET /cam/index.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(client.response()?.status == 200)
                for _ in 0..<5 { live.publish(byteCount: 4_000) }
                // The server answers after it has served the viewer.
                let viewers = await server.server.viewers(at: .now())
                isInTime = start.duration(to: .now) < .seconds(2)
                guard isInTime else { return }
                #expect(viewers.count == 1 && viewers[0].unreadByteCount > 0 && viewers[0].droppedUnits == 0)
            }
            if isInTime { return }
        }
        Issue.record("the machine is too busy")
    }

    /// Parameter sets are in band, so a file goes on when a source comes back with another size.
    @Test func aFileGoesOnWithAnotherSize() async throws {
        let live = LiveStream()
        live.publishGroup(2)
        try await TestServer.serve([live]) { server in
            let (client, _) = try begin(server, "/cam/index.mp4")
            _ = file(client, fragments: 2)
            live.announce(size: .large)
            live.publish(isKeyframe: true, size: .large)
            let chunk = try #require(client.chunks(of: 1)?.first)
            #expect(MovieBoxes(chunk).types == ["prft", "moof", "mdat"])
            live.announce(hasAudio: true)
            live.publish(isKeyframe: true)
            // Another track cannot be added to a file.
            #expect(String(decoding: client.bytes(atLeast: 7), as: UTF8.self) == "\r\n0\r\n\r\n")
        }
    }
}

extension [MovieBoxes.Fragment] {
    fileprivate var hasGap: Bool { zip(self, dropFirst()).contains { $1.decodeTime > $0.decodeTime + 3_600 } }
}

/// The content of the chunks that are complete.
func dechunked(_ bytes: [UInt8]) -> [UInt8] {
    var (rest, content): (ArraySlice<UInt8>, [UInt8]) = (bytes[...], [])
    while true {
        while rest.starts(with: [13, 10]) { rest = rest.dropFirst(2) }
        guard let end = rest.firstIndex(of: 13),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), rest.endIndex >= end + 2 + count
        else { return content }
        content += rest[(end + 2)..<(end + 2 + count)]
        rest = rest[(end + 2 + count)...]
    }
}

extension HTTPSocket {
    /// The next chunks, from the end of the one before.
    fileprivate func chunks(of count: Int) -> [[UInt8]]? {
        var (chunks, rest): ([[UInt8]], [UInt8]) = ([], [])
        while chunks.count < count {
            let bytes = bytes(atLeast: 1)
            if bytes.isEmpty { return nil }
            rest += bytes
            while let (chunk, length) = Self.firstChunk(of: rest) {
                chunks.append(chunk)
                rest.removeFirst(length)
            }
        }
        return chunks
    }

    private static func firstChunk(of bytes: [UInt8]) -> ([UInt8], Int)? {
        let start = bytes.starts(with: [13, 10]) ? 2 : 0
        guard let end = bytes.dropFirst(start).firstIndex(of: 13),
            let count = Int(String(decoding: bytes[start..<end], as: UTF8.self), radix: 16),
            bytes.count >= end + 2 + count
        else { return nil }
        return (Array(bytes[(end + 2)..<(end + 2 + count)]), end + 2 + count)
    }
}
