import Media
import Testing

@testable import RTMP

@Suite struct ClientSessionTests {
    private let publishing = ClientTarget(.publish, server: "rtmp://host", path: "/live/cam", query: "key=1")
    private let playing = ClientTarget(.play, server: "rtmp://host", path: "/live/cam")

    @Test(arguments: [1, 7, 4096])
    func aClientPublishesToAServer(pieceByteCount: Int) throws {
        var addresses: [StreamAddress] = []
        var pair = SessionPair(publishing, pieceByteCount: pieceByteCount) { server, order in
            if case .publish(let address) = order { addresses.append(address) }
            SessionPair.accept(&server, order)
        }
        var packager = FLVPackager(tracks: avcTracks, options: [])
        var timeline = PlayerTimeline()
        let head = try #require(packager.head)
        #expect(pair.client.framing == nil)
        pair.run()
        #expect(pair.isStarted)
        #expect(addresses.map(\.path) == ["/live/cam"])
        #expect(addresses.map(\.query) == ["key=1"])
        // Longer than a chunk.
        let unit = frame([[0x65] + [UInt8](repeating: 5, count: 100_000)], decode: 500, shown: 540, isKeyframe: true)
        let output = packager.package(unit)
        let framing = try #require(pair.client.framing)
        pair.toServer(framing.bytes(of: head, at: timeline.last))
        for message in try #require(output).messages {
            let (head, payload) = framing.bytes(of: message, at: timeline.timestamp(of: message))
            pair.toServer(head + payload)
        }
        pair.run()
        #expect(pair.serverMedia.map(\.type) == [.dataAMF0, .video, .audio, .video])
        let tags = read(pair.serverMedia)
        #expect(tags.tracks.map { $0.map(\.codec) } == [[.h264, .aac]])
        #expect(tags.units.map { $0.contents.last } == [unit.contents.last])
        pair.client.stop()
        pair.run()
        #expect(pair.closed == nil)
    }

    @Test func aClientPlaysFromAServer() throws {
        var pair = SessionPair(playing)
        pair.run()
        #expect(pair.isStarted)
        let framing = try #require(pair.server.framing)
        var packager = FLVPackager(tracks: avcTracks, options: [])
        var timeline = PlayerTimeline()
        let unit = frame([[0x65] + [UInt8](repeating: 5, count: 100_000)], decode: 500, shown: 540, isKeyframe: true)
        let packaged = packager.package(unit)
        let output = try #require(packaged)
        pair.toClient(framing.bytes(of: try #require(output.head), at: timeline.last))
        for message in output.messages {
            let (head, payload) = framing.bytes(of: message, at: timeline.timestamp(of: message))
            #expect(payload == message.payload, "one chunk")
            pair.toClient(head + payload)
        }
        pair.run()
        #expect(read(pair.clientMedia).units.map { $0.contents.last } == [unit.contents.last])
        #expect(pair.clientMedia.last?.timestamp == 0)
        pair.server.end(.playUnpublished, "the publisher has gone")
        pair.run()
        let reason = "the server ended the stream: the publisher has gone (NetStream.Play.UnpublishNotify)"
        #expect(pair.closed?.description == reason)
    }

    @Test func aClientAnswersAChallenge() throws {
        let digest: AdobeAuthentication.Digest = { "h\($0.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF })" }
        let secret = AdobeAuthentication.secret(user: "u", salt: "s", password: "p", digest)
        var login = ClientLogin(user: "u", password: "p", clientChallenge: "k", digest: digest)
        var hasAccepted = false
        for _ in 0..<2 {
            var pair = SessionPair(publishing, login: login, decide: decide)
            pair.run()
            login = try #require(pair.reconnect)
        }
        var pair = SessionPair(publishing, login: login, decide: decide)
        pair.run()
        #expect(hasAccepted)
        #expect(pair.isStarted)

        func decide(_ server: inout RTMPServerSession, _ order: ServerOrder) {
            guard case .connect(let request) = order else { return SessionPair.accept(&server, order) }
            switch request.credentials {
            case nil: server.rejectConnection(.needsCredentials)
            case .user(let user): server.rejectConnection(.challenge(user: user, salt: "s", challenge: "c"))
            case .response(let response):
                hasAccepted =
                    response.challenge == "c" && response.digest == response.expectedDigest(secret: secret, digest)
                if hasAccepted { server.acceptConnection() } else { server.rejectConnection(.wrongCredentials) }
            }
        }
    }

    @Test func refusalsHaveReasons() {
        var unauthorised = SessionPair(publishing) { server, order in
            if case .connect = order { server.rejectConnection(.needsCredentials) }
        }
        unauthorised.run()
        #expect(unauthorised.closed == .unauthorised)
        var taken = SessionPair(publishing) { server, order in
            if case .publish = order {
                server.reject(.publishBadName, "/live/cam has a publisher")
            } else {
                SessionPair.accept(&server, order)
            }
        }
        taken.run()
        #expect(
            taken.closed?.description == "the server refused: /live/… has a publisher (NetStream.Publish.BadName)")
    }

    /// The text may be a single character: a letter with thousands of accents.
    @Test(arguments: [ClientTarget.Action.publish, .play])
    func littleIsKeptOfALongReason(_ action: ClientTarget.Action) throws {
        let text = "a" + String(repeating: "\u{301}", count: 30_000)
        var pair = SessionPair(action == .publish ? publishing : playing) { server, order in
            switch order {
            case .publish: server.reject(.publishBadName, text)
            case .play: server.reject(.playFailed, text)
            default: SessionPair.accept(&server, order)
            }
        }
        pair.run()
        let reason = try #require(pair.closed?.description.unicodeScalars)
        #expect(reason.starts(with: "the server refused: a\u{301}".unicodeScalars) && reason.count < 300)
    }
}
