import Media
import Testing

@testable import RTSP

/// Transcripts on virtual time: SETUP, PLAY, PAUSE, TEARDOWN and their sessions.
struct ServerSessionTests {
    @Test(arguments: [
        (
            "RTP/AVP/TCP;unicast;interleaved=4-5;mode=\"PLAY\"",
            "RTP/AVP/TCP;unicast;interleaved=4-5;ssrc=0000BEEF"
        ),
        ("RTP/AVP/TCP", "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=0000BEEF"),
        (
            "RTP/AVP;unicast;client_port=5000-5001;x=y",
            "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001;ssrc=0000BEEF"
        ),
        (
            "RTP/AVP/UDP;unicast;destination=192.0.2.7;client_port=5000-5001",
            "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001;ssrc=0000BEEF"
        ),
        ("RTP/AVP;multicast;destination=10.0.0.1", "RTP/AVP;multicast;destination=239.255.0.1;port=7000-7001;ttl=1"),
        (
            "RTP/SAVP;unicast;client_port=1-2,RTP/AVP;multicast",
            "RTP/AVP;multicast;destination=239.255.0.1;port=7000-7001;ttl=1"
        ),
    ])
    func setUpChoosesTheFirstSupportedTransport(offers: String, answer: String) {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: offers])
        #expect(response?.status == .ok)
        #expect(response?.headers.values(of: .transport) == [answer])
        #expect(response?.headers[.session] == "\(Dialogue.session(1));timeout=60")
    }

    @Test(arguments: [
        ("RTP/SAVP;unicast;client_port=5000-5001", 461), ("MP2T/H2221/UDP;unicast", 461), ("nonsense", 461), ("", 400),
        ("RTP/AVP;unicast", 461), ("RTP/AVP;unicast;client_port=0-1", 461), ("RTP/AVP/TCP;multicast", 461),
        ("RTP/AVP;unicast;client_port=5000-5001;mode=record", 461), ("RTP/AVP/TCP;interleaved=3-3", 461),
        ("RTP/AVP;unicast;destination=192.0.2.8;client_port=5000-5001", 403),
    ])
    func unsupportedTransportsAreRefused(offers: String, status: Int) {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: offers])
        #expect(response?.status.code == status)
        #expect(dialogue.orders.isEmpty)
    }

    @Test func offersKeepTheClientsOrder() {
        var dialogue = Dialogue()
        let offers = "RTP/AVP/TCP;unicast,RTP/AVP;unicast;client_port=5000-5001,RTP/AVP;multicast"
        dialogue.ask(.setUp, "rtsp://h/a?x=1/track2", [.transport: offers, .userAgent: "VLC"])
        guard case .setUp(_, let request)? = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        #expect(request.path == "/a" && request.query == "x=1" && request.track == "track2" && request.session == nil)
        #expect(
            request.offers == [
                .interleaved(ChannelPair(rtp: 0, rtcp: 1)), .udp(clientPorts: PortPair(rtp: 5000, rtcp: 5001)),
                .multicast(),
            ])
    }

    @Test func channelsInUseAreRefusedAndFreeOnesChosenByDefault() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        let colliding: Headers = [.session: session.text, .transport: "RTP/AVP/TCP;unicast;interleaved=1-2"]
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/track2", colliding)?.status == .unsupportedTransport)
        let free: Headers = [.session: session.text, .transport: "RTP/AVP/TCP;unicast"]
        let response = dialogue.ask(.setUp, "\(Dialogue.url)/track2", free)
        #expect(response?.headers[.transport]?.contains("interleaved=2-3") == true)
        #expect(dialogue.ask(.tearDown, Dialogue.url, [.session: session.text])?.status == .ok)
        let again = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: "RTP/AVP/TCP;interleaved=1-2"])
        #expect(again?.status == .ok, "the channels of an ended session are free")
    }

    @Test func aConnectionHas256Channels() {
        var channels = ChannelTable()
        for _ in 0..<128 {
            guard let pair = channels.firstFreePair else { return #expect(Bool(false), "too few channels") }
            channels.take(pair, for: Dialogue.session(1))
        }
        #expect(channels.firstFreePair == nil)
        channels.release(Dialogue.session(1))
        #expect(channels.firstFreePair == ChannelPair(rtp: 0, rtcp: 1))
    }

    @Test func aRefusedSetUpCreatesNoSession() {
        var dialogue = Dialogue()
        dialogue.answers = false
        dialogue.ask(.setUp, "\(Dialogue.url)/track9", [.transport: "RTP/AVP/TCP"])
        guard case .setUp(let id, _)? = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        let refusal = Refusal(.notFound, reason: "No Such Track", headers: [.allow: ""])
        #expect(dialogue.connection.setUp(id, .failure(refusal), at: dialogue.now) == nil)
        let response = dialogue.drain().first
        #expect(response?.status == .notFound && response?.reason == "No Such Track")
        #expect(response?.headers[.session] == nil && response?.headers[.allow] == nil)
        #expect(dialogue.connection.sessions.isEmpty)
    }

    @Test func theNinthSessionIsRefused() throws {
        var dialogue = Dialogue()
        for _ in 0..<8 { _ = try dialogue.setUp() }
        let ninth = dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: "RTP/AVP/TCP"])
        #expect(ninth?.status == .notEnoughBandwidth)
        dialogue.ask(.tearDown, Dialogue.url, [.session: Dialogue.session(3).text])
        _ = try dialogue.setUp()
    }

    @Test func playUsesTheTrackURLsOfSetUp() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        _ = try dialogue.setUp("track2", in: session)
        let response = dialogue.ask(.play, Dialogue.url + "/", [.session: "\(session);timeout=60", .range: "npt=0-"])
        #expect(response?.status == .ok)
        #expect(
            response?.headers[.rtpInfo]
                == "url=\(Dialogue.url)/track1;seq=7;rtptime=90000,url=\(Dialogue.url)/track2;seq=7;rtptime=90000")
        #expect(response?.headers[.range] == "npt=now-")
        #expect(dialogue.orders.last == .startSending(session))
        guard case .play(_, let request)? = dialogue.orders.dropLast().last else {
            return #expect(Bool(false), "no order")
        }
        #expect(request.tracks.map(\.control) == ["track1", "track2"])
        #expect(request.range == .npt(from: .nanoseconds(0), to: nil))
    }

    @Test(arguments: [("npt=x", 457), ("frames=1-", 457), ("smpte=0:10:20-", 501), ("clock=20260101T000000Z-", 200)])
    func rangesAreChecked(range: String, status: Int) throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        let response = dialogue.ask(.play, Dialogue.url, [.session: session.text, .range: range])
        #expect(response?.status.code == status)
    }

    @Test func aSessionPlaysPausesAndEnds() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        let headers: Headers = [.session: session.text]
        #expect(dialogue.ask(.pause, Dialogue.url, headers)?.status == .ok)
        dialogue.orders = []
        #expect(dialogue.ask(.play, Dialogue.url, headers)?.headers[.rtpInfo] != nil)
        let again = dialogue.ask(.play, Dialogue.url, headers)
        #expect(again?.status == .ok && again?.headers[.rtpInfo] == nil)
        #expect(dialogue.orders.count == 2, "PLAY while playing has no effect")
        let setUp: Headers = [.session: session.text, .transport: "RTP/AVP/TCP"]
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/track2", setUp)?.status == .methodNotValidInThisState)
        #expect(dialogue.ask(.pause, Dialogue.url, headers)?.status == .ok)
        #expect(dialogue.orders.last == .pause(session))
        #expect(dialogue.ask(.play, Dialogue.url, headers)?.headers[.rtpInfo] != nil)
        #expect(dialogue.ask(.tearDown, Dialogue.url, headers)?.status == .ok)
        #expect(dialogue.orders.last == .tearDown(session, .tornDown))
        for method in [Method.play, .pause, .tearDown, .getParameter, .options] {
            #expect(dialogue.ask(method, Dialogue.url, headers)?.status == .sessionNotFound)
        }
    }

    @Test func aggregateAndTrackURLsAreDistinguished() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        let headers: Headers = [.session: session.text]
        let setUp: Headers = [.session: session.text, .transport: "RTP/AVP/TCP"]
        #expect(dialogue.ask(.setUp, "rtsp://h/other/track1", setUp)?.status == .aggregateOperationNotAllowed)
        #expect(dialogue.ask(.setUp, "\(Dialogue.url)/track1", setUp)?.status == .methodNotValidInThisState)
        #expect(dialogue.ask(.play, "\(Dialogue.url)/track2", headers)?.status == .notFound)
        #expect(dialogue.ask(.play, "rtsp://h/other", headers)?.status == .notFound)
        _ = try dialogue.setUp("track2", in: session)
        for method in [Method.play, .pause, .tearDown] {
            let response = dialogue.ask(method, "\(Dialogue.url)/track1", headers)
            #expect(response?.status == .onlyAggregateOperationAllowed)
        }
        var single = Dialogue()
        let only = try single.setUp()
        #expect(single.ask(.play, "\(Dialogue.url)/track1", [.session: only.text])?.status == .ok)
    }

    @Test func interleavedDataReachesItsSession() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.orders = []
        dialogue.put([0x24, 1, 0, 2, 0x80, 0xC9, 0x24, 9, 0, 1, 0])
        #expect(dialogue.orders == [.receivedInterleaved(session, channel: 1, [0x80, 0xC9])])
    }

    @Test func sessionsOfAConnectionAreIndependent() throws {
        var dialogue = Dialogue()
        let first = try dialogue.setUp()
        let second = try dialogue.setUp()
        #expect(first != second)
        dialogue.ask(.tearDown, Dialogue.url, [.session: first.text])
        #expect(dialogue.ask(.play, Dialogue.url, [.session: second.text])?.status == .ok)
    }

    @Test func withdrawingAStreamEndsOnlyItsSession() throws {
        var dialogue = Dialogue()
        let first = try dialogue.setUp()
        let second = try dialogue.setUp()
        dialogue.orders = []
        dialogue.connection.withdraw(first, .stream, at: dialogue.now)
        #expect(dialogue.drain().isEmpty)
        #expect(dialogue.orders == [.tearDown(first, .withdrawn(.stream))])
        #expect(dialogue.ask(.play, Dialogue.url, [.session: first.text])?.status == .sessionNotFound)
        #expect(dialogue.ask(.play, Dialogue.url, [.session: second.text])?.status == .ok)
    }

    @Test func withdrawingTheLastSessionClosesTheConnection() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.orders = []
        dialogue.connection.withdraw(session, .groups, at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.orders == [.tearDown(session, .withdrawn(.groups)), .close(.withdrawn(.groups))])
        dialogue.connection.withdraw(session, .groups, at: dialogue.now)
        #expect(dialogue.drain().isEmpty && dialogue.orders.count == 2)
    }

    @Test func aPendingRequestOfAWithdrawnSessionIsAnswered() throws {
        var dialogue = Dialogue()
        let first = try dialogue.setUp()
        _ = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: first.text])
        guard case .play(let id, _)? = dialogue.orders.last else { return #expect(Bool(false), "no PLAY") }
        #expect(dialogue.ask(.options) == nil, "it waits behind the PLAY")
        dialogue.connection.withdraw(first, .stream, at: dialogue.now)
        #expect(dialogue.drain().map(\.status) == [.sessionNotFound, .ok])
        let late = PlayAnswer(rtpInfo: RTPInfo([]), range: .live)
        dialogue.connection.played(id, .success(late), at: dialogue.now)
        #expect(dialogue.drain().isEmpty)
    }

    @Test func packetsAreOrderedBetweenTheResponseToPlayAndThatToTheNextRequest() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: session.text])
        guard case .play(let id, _)? = dialogue.orders.last else { return #expect(Bool(false), "no PLAY") }
        #expect(dialogue.ask(.tearDown, Dialogue.url, [.session: session.text]) == nil, "it waits behind the PLAY")
        let answer = PlayAnswer(rtpInfo: RTPInfo([]), range: .live)
        dialogue.connection.played(id, .success(answer), at: dialogue.now)
        var actions: [ServerAction] = []
        while let action = dialogue.connection.nextAction() { actions.append(action) }
        guard actions.count == 4, case .send = actions[0], case .send = actions[3] else {
            return #expect(Bool(false), "\(actions)")
        }
        #expect(actions[1] == .startSending(session) && actions[2] == .tearDown(session, .tornDown))
    }

    @Test func aRefusedPlayStartsNothing() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: session.text])
        guard case .play(let id, _)? = dialogue.orders.last else { return #expect(Bool(false), "no PLAY") }
        dialogue.connection.played(id, .failure(Refusal(.serviceUnavailable)), at: dialogue.now)
        #expect(dialogue.drain().map(\.status) == [.serviceUnavailable])
        #expect(!dialogue.orders.contains(.startSending(session)))
    }

    @Test func aPlayWithoutKnownPacketsHasNoRTPInfo() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: session.text])
        guard case .play(let id, _)? = dialogue.orders.last else { return #expect(Bool(false), "no PLAY") }
        let answer = PlayAnswer(rtpInfo: RTPInfo([]), range: .live)
        dialogue.connection.played(id, .success(answer), at: dialogue.now)
        let response = dialogue.drain().first
        #expect(response?.status == .ok)
        #expect(response?.headers[.rtpInfo] == nil)
    }
}
