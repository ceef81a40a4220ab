import Media
import Testing

@testable import RTSP

/// ANNOUNCE, SETUP and RECORD, with the requests that real publishers send.
struct PublishingTests {
    private static let type: Headers = [.contentType: "application/sdp"]
    private static let tcp: Headers = [.transport: "RTP/AVP/TCP;unicast;interleaved=0-1;mode=record"]

    /// A description with a video and an audio track, whose control attributes are these.
    private func description(_ controls: String...) -> [UInt8] {
        let media = zip(["video", "audio"], controls).map { kind, control in
            "m=\(kind) 0 RTP/AVP 96\r\na=rtpmap:96 \(kind == "video" ? "H264/90000" : "opus/48000/2")\r\na=control:\(control)\r\n"
        }
        return Array(("v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nt=0 0\r\n" + media.joined()).utf8)
    }

    private func announced(
        _ url: String = Dialogue.url, controls: (String, String) = ("streamid=0", "streamid=1"),
        access: AccessPolicy? = nil
    ) -> Dialogue {
        var dialogue = Dialogue(access: access)
        let response = dialogue.ask(.announce, url, Self.type, body: description(controls.0, controls.1))
        #expect(response?.status == .ok)
        #expect(response?.headers[.session] == nil, "there is no session before the first SETUP")
        return dialogue
    }

    private func session(of response: Response?) throws -> SessionID {
        try #require(response?.headers[.session].flatMap(SessionHeader.init)?.id)
    }

    private func media(of dialogue: Dialogue) -> [Int] {
        dialogue.orders.compactMap { if case .setUpPublisher(_, let request) = $0 { request.medium } else { nil } }
    }

    // MARK: Track URLs

    @Test(arguments: [
        // ffmpeg pastes the control name to the URL, also behind a query and a slash.
        ("rtsp://h/p", "streamid=0", "streamid=1", "rtsp://h/p/streamid=0", "rtsp://h/p/streamid=1"),
        ("rtsp://h/p?t=a", "streamid=0", "streamid=1", "rtsp://h/p?t=a/streamid=0", "rtsp://h/p?t=a/streamid=1"),
        ("rtsp://h/p/", "streamid=0", "streamid=1", "rtsp://h/p//streamid=0", "rtsp://h/p//streamid=1"),
        // GStreamer and RootEncoder keep the query at the end.
        ("rtsp://h/p?t=a", "stream=0", "stream=1", "rtsp://h/p/stream=0?t=a", "rtsp://h/p/stream=1?t=a"),
        ("rtsp://h/p?t=a/", "stream=0", "stream=1", "rtsp://h/p/stream=0?t=a/", "rtsp://h/p/stream=1?t=a/"),
        // gortsplib, and our own names.
        ("rtsp://h/p", "trackID=0", "trackID=1", "rtsp://h/p/trackID=0", "rtsp://h/p/trackID=1"),
        ("rtsp://h/p", "track1", "track2", "rtsp://h/p/track1", "rtsp://h/p/track2"),
        ("rtsp://h/p?t=a", "track1", "track2", "rtsp://h/p?t=a/track1", "rtsp://h/p?t=a/track2"),
        // Absolute names, also of another host, and names with folders.
        ("rtsp://h/p", "rtsp://h/p/x", "rtsp://h/p/y", "rtsp://h/p/x", "rtsp://h/p/y"),
        ("rtsp://h/p", "rtsp://other/q/x", "rtsp://other/q/y", "rtsp://h/p/x", "rtsp://h/p/y"),
        ("rtsp://h/p", "a/x", "a/y", "rtsp://h/p/a/x", "rtsp://h/p/a/y"),
        ("rtsp://h/p", "/x", "/y", "rtsp://h/p/x", "rtsp://h/p/y"),
    ])
    func eachSetUpFindsItsMedium(url: String, first: String, second: String, one: String, other: String) throws {
        var dialogue = announced(url, controls: (first, second))
        let response = dialogue.ask(.setUp, other, Self.tcp)
        let session = try session(of: response)
        dialogue.ask(
            .setUp, one, [.transport: "RTP/AVP/TCP;unicast;interleaved=2-3;mode=record", .session: session.text])
        #expect(media(of: dialogue) == [1, 0])
        #expect(dialogue.ask(.record, url, [.session: session.text])?.status == .ok)
    }

    @Test func aSetUpOfAnotherTrackIsNotFound() {
        var dialogue = announced()
        #expect(dialogue.ask(.setUp, Dialogue.url + "/streamid=2", Self.tcp)?.status == .notFound)
        #expect(
            dialogue.ask(.setUp, "rtsp://cam.example:8554/other/streamid=9", Self.tcp)?.status != .internalServerError)
    }

    // MARK: States

    @Test func aWholeSession() throws {
        var dialogue = announced()
        let response = dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp)
        #expect(response?.headers[.transport] == "RTP/AVP/TCP;unicast;interleaved=0-1;mode=record")
        let session = try session(of: response)
        let named: Headers = [.session: "\(session.text);timeout=60"]
        #expect(dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp)?.status == .methodNotValidInThisState)
        #expect(dialogue.ask(.record, Dialogue.url, named)?.status == .ok)
        #expect(dialogue.ask(.record, Dialogue.url, named)?.status == .ok, "a repeated RECORD has no effect")
        #expect(dialogue.ask(.announce, Dialogue.url, Self.type, body: description("a", "b"))?.status.code == 455)
        #expect(dialogue.ask(.getParameter, Dialogue.url, named)?.status == .ok)
        #expect(dialogue.ask(.options, Dialogue.url, named)?.status == .ok)
        dialogue.put([0x24, 0, 0, 3, 1, 2, 3])
        guard case .receivedInterleaved(session, channel: 0, let bytes)? = dialogue.orders.last else {
            Issue.record("no data")
            return
        }
        #expect(Array(bytes) == [1, 2, 3])
        #expect(dialogue.ask(.pause, Dialogue.url, named)?.status == .ok)
        #expect(dialogue.ask(.record, Dialogue.url, named)?.status == .ok, "a paused publisher may continue")
        #expect(dialogue.ask(.tearDown, Dialogue.url, named)?.status == .ok)
        #expect(dialogue.orders.last == .tearDown(session, .tornDown))
        #expect(dialogue.ask(.record, Dialogue.url, named)?.status.code == 455, "without ANNOUNCE")
        #expect(dialogue.orders.count { if case .record = $0 { true } else { false } } == 2)
    }

    /// Publishers send no keepalives while they record, so media alone shows that they are alive. One that has paused must continue.
    @Test func aPublisherMayBeSilentOnItsConnection() throws {
        var dialogue = announced()
        let session = try session(of: dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp))
        #expect(dialogue.ask(.record, Dialogue.url, [.session: session.text])?.status == .ok)
        for _ in 0..<600 {
            dialogue.now = dialogue.now.advanced(byMilliseconds: 1_000)
            let deadline = dialogue.connection.nextDeadline
            #expect(deadline == nil)
            dialogue.connection.deadlinePassed(at: dialogue.now)
        }
        #expect(dialogue.ask(.pause, Dialogue.url, [.session: session.text])?.status == .ok)
        dialogue.now = try #require(dialogue.connection.nextDeadline)
        dialogue.connection.deadlinePassed(at: dialogue.now)
        #expect(dialogue.connection.publication == nil)
    }

    @Test func recordNeedsAnAnnounceAndASetUp() {
        var dialogue = Dialogue()
        #expect(dialogue.ask(.record)?.status == .methodNotValidInThisState)
        dialogue = announced()
        #expect(dialogue.ask(.record)?.status == .methodNotValidInThisState)
        #expect(dialogue.ask(.tearDown)?.status == .methodNotValidInThisState)
    }

    @Test func aRefusedAnnounceLeavesNothing() {
        var dialogue = Dialogue()
        let response = dialogue.ask(.announce, "rtsp://h/taken", Self.type, body: description("a", "b"))
        #expect(response?.status == .forbidden && response?.reason == "Published")
        #expect(dialogue.connection.publication == nil)
    }

    @Test(arguments: [
        ("text/plain", "v=0\r\nm=video 0 RTP/AVP 96\r\n", 415), ("application/sdp", "", 400),
        ("application/sdp", "v=0\r\n", 400), ("application/sdp", "nonsense", 400),
        ("application/sdp;charset=utf-8", "v=0\r\nm=video 0 RTP/AVP 96\r\n", 200),
        (nil, "v=0\r\nm=video 0 RTP/AVP 96\r\n", 200),
    ])
    func theDescriptionIsChecked(type: String?, body: String, status: Int) {
        var dialogue = Dialogue()
        var headers: Headers = [:]
        headers[.contentType] = type
        #expect(dialogue.ask(.announce, Dialogue.url, headers, body: Array(body.utf8))?.status.code == status)
    }

    @Test(arguments: [
        ("RTP/AVP/UDP;unicast;client_port=14722-14723;mode=record", 200),
        ("RTP/AVP;unicast;client_port=56582-56583;mode=RECORD", 200), ("RTP/AVP/TCP;unicast;interleaved=4-5", 200),
        ("RTP/AVP;unicast;client_port=0-0;mode=record", 461), ("RTP/AVP;multicast;mode=record", 461),
        ("RTP/SAVP;unicast;client_port=5000-5001;mode=record", 461),
        ("RTP/AVP;multicast;mode=record,RTP/AVP/TCP;unicast;interleaved=0-1;mode=record", 200),
    ])
    func transportsOfPublishers(transport: String, status: Int) {
        var dialogue = announced()
        let response = dialogue.ask(.setUp, Dialogue.url + "/streamid=0", [.transport: transport])
        #expect(response?.status.code == status)
        if status == 200 { #expect(response?.headers[.transport]?.hasSuffix(";mode=record") == true) }
    }

    // MARK: Time

    /// ffmpeg sends no request while it records, for hours.
    @Test func aRecordingPublisherNeedsNoRequests() throws {
        var dialogue = announced()
        let session = try session(of: dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp))
        dialogue.ask(.record, Dialogue.url, [.session: session.text])
        dialogue.pass(milliseconds: 86_400_000)
        #expect(!dialogue.connection.isClosed)
        dialogue.connection.withdraw(session, .silence(seconds: 10), at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.closeReason == .withdrawn(.silence(seconds: 10)))
        #expect(dialogue.orders.suffix(2).first == .tearDown(session, .withdrawn(.silence(seconds: 10))))
    }

    @Test func aPublisherThatNeverRecordsTimesOut() throws {
        var dialogue = announced()
        let session = try session(of: dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp))
        dialogue.pass(milliseconds: 75_000)
        #expect(dialogue.orders.last == .tearDown(session, .timedOut(seconds: 75)))
        dialogue = announced()
        dialogue.pass(milliseconds: 60_000)
        #expect(dialogue.closeReason == .idle(seconds: 60))
    }

    @Test func theEndOfTheConnectionEndsThePublication() throws {
        var dialogue = announced()
        let session = try session(of: dialogue.ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp))
        dialogue.connection.receivedEnd(at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.orders.suffix(2) == [.tearDown(session, .connectionClosed(.peerClosed)), .close(.peerClosed)])
    }

    // MARK: Rights

    @Test func publishingNeedsTheRightToPublish() throws {
        let patterns = ["cam"].compactMap { PathPattern($0) }
        let policy = AccessPolicy(
            realm: "Apus",
            users: [
                .init(name: "ann", secret: .password("sesame"), rights: [.publish: patterns]),
                .init(name: "bob", secret: .password("sesame"), rights: [.read: patterns]),
            ], hashes: { .real }, random: { 7 })
        for (user, status) in [("ann", 200), ("bob", 401)] {
            var dialogue = Dialogue(access: policy)
            let body = description("streamid=0", "streamid=1")
            let challenge = try #require(
                DigestChallenge(dialogue.ask(.announce, Dialogue.url, Self.type, body: body)))
            func ask(_ method: RTSP.Method, _ url: String, _ headers: Headers, _ body: [UInt8] = []) -> Response? {
                dialogue.ask(method, url, headers, body: body, as: user, password: "sesame", answering: challenge)
            }
            #expect(ask(.announce, Dialogue.url, Self.type, body)?.status.code == status)
            let response = ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp)
            #expect(response?.status.code == (status == 200 ? 200 : 401), "\(user)")
            guard status == 200 else { continue }
            let session = try session(of: response)
            #expect(ask(.record, Dialogue.url, [.session: session.text])?.status == .ok)
            #expect(dialogue.ask(.tearDown, Dialogue.url, [.session: session.text])?.status == .unauthorized)
            #expect(ask(.describe, Dialogue.url, [:])?.status == .unauthorized, "ann may not watch")
        }
    }

    @Test func aPublisherThatLosesItsRightIsDisconnected() throws {
        func policy(_ right: Right) -> AccessPolicy {
            AccessPolicy(
                realm: "Apus",
                users: [
                    .init(
                        name: "ann", secret: .password("sesame"),
                        rights: [right: ["cam"].compactMap { PathPattern($0) }])
                ], hashes: { .real }, random: { 7 })
        }
        var dialogue = Dialogue(access: policy(.publish))
        let body = description("streamid=0", "streamid=1")
        let challenge = try #require(DigestChallenge(dialogue.ask(.announce, Dialogue.url, Self.type, body: body)))
        func ask(_ method: RTSP.Method, _ url: String, _ headers: Headers, _ body: [UInt8] = []) -> Response? {
            dialogue.ask(method, url, headers, body: body, as: "ann", password: "sesame", answering: challenge)
        }
        _ = ask(.announce, Dialogue.url, Self.type, body)
        let session = try session(of: ask(.setUp, Dialogue.url + "/streamid=0", Self.tcp))
        dialogue.connection.accessChanged(to: policy(.publish), paths: [:], at: dialogue.now)
        dialogue.drain()
        #expect(!dialogue.connection.isClosed)
        dialogue.connection.accessChanged(to: policy(.read), paths: [:], at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.closeReason == .withdrawn(.permissionLost))
        #expect(dialogue.orders.suffix(2).first == .tearDown(session, .withdrawn(.permissionLost)))
    }
}
