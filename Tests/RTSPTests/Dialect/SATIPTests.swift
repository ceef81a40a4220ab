import Media
import RTP
import TestSupport
import Testing

@testable import RTSP

/// The dialect of VLC 3.0's SAT>IP client.
struct SATIPTests {
    static let url = "rtsp://192.0.2.1:8554/cam"
    static let transport = "RTP/AVP;unicast;client_port=9242-9243"

    /// All requests of VLC 3.0's SAT>IP client, byte by byte; its CSeq begins at 0.
    static var transcript: [UInt8] {
        let id = Dialogue.session(1)
        let control = "rtsp://192.0.2.1:8554/stream=1 RTSP/1.0\r\n"
        return Array(
            """
            SETUP \(url) RTSP/1.0\r\nCSeq: 0\r\nTransport: \(transport)\r\n\r\n\
            PLAY \(control)CSeq: 1\r\nSession: \(id)\r\n\r\n\
            OPTIONS \(control)CSeq: 2\r\nSession: \(id)\r\n\r\n\
            TEARDOWN \(control)CSeq: 3\r\nSession: \(id)\r\n\r\n
            """.utf8)
    }

    @Test func vlcGetsTheResponsesThatItExpects() {
        var dialogue = Dialogue()
        let responses = dialogue.put(Self.transcript)
        #expect(responses.map(\.status.code) == [200, 200, 200, 200])
        #expect(responses.map { $0.headers[.cSeq] } == ["0", "1", "2", "3"])
        // VLC compares these names and the beginning of Transport byte by byte.
        let sent = String(decoding: dialogue.sent, as: UTF8.self)
        #expect(sent.contains("\r\nSession: \(Dialogue.session(1));timeout=60\r\n"))
        #expect(sent.contains("\r\nTransport: RTP/AVP;unicast;client_port=9242-9243;server_port=6000-6001"))
        #expect(sent.contains("\r\ncom.ses.streamID: 1\r\n"))
        #expect(responses[1].headers[.rtpInfo] == "url=rtsp://192.0.2.1:8554/stream=1;seq=7;rtptime=90000")
        guard case .setUp(_, let setUp)? = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        #expect(
            setUp.encapsulation == .transportStream && setUp.path == "/cam" && setUp.track == nil
                && setUp.session == nil)
        #expect(setUp.offers == [.udp(clientPorts: PortPair(rtp: 9242, rtcp: 9243))])
        #expect(dialogue.orders.last == .tearDown(Dialogue.session(1), .tornDown))
    }

    @Test func everySplitOfVLCsRequestsGivesTheSameBytesAndActions() {
        var whole = Dialogue()
        whole.put(Self.transcript)
        for split in 1..<Self.transcript.count {
            var dialogue = Dialogue()
            dialogue.put(Array(Self.transcript[..<split]))
            dialogue.put(Array(Self.transcript[split...]))
            #expect(dialogue.sent == whole.sent && dialogue.orders == whole.orders, "split at \(split)")
        }
    }

    @Test func corruptedRequestsOfVLCLeadToResponsesOrAClose() {
        for seed in 0..<600 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var dialogue = Dialogue()
            dialogue.put(Corruption.damaged(Self.transcript, using: &random))
            dialogue.pass(milliseconds: 400_000)
            #expect(dialogue.closeReason != nil && dialogue.connection.sessions.isEmpty, "seed \(seed)")
        }
    }

    @Test func multicastIsAnsweredWithTheServersGroup() {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, Self.url, [.transport: "RTP/AVP;multicast"])
        #expect(
            response?.headers[.transport] == "RTP/AVP;multicast;destination=239.255.0.1;port=7000-7001;ttl=1")
        #expect(response?.headers["com.ses.streamID"] == "1")
        #expect(dialogue.encapsulation == .transportStream)
    }

    @Test(arguments: [
        ("/cam", transport, RTPEncapsulation.transportStream), ("/", transport, .transportStream),
        ("/cam?x=1", "RTP/AVP/UDP;unicast;client_port=9242-9243", .transportStream),
        ("/cam", "RTP/AVP;client_port=9242-9243,RTP/AVP;multicast", .transportStream),
        ("/cam/track1", transport, .tracks), ("/cam?x=1/track1", transport, .tracks),
        ("/cam", "RTP/AVP/TCP;unicast;interleaved=0-1", .tracks),
        ("/cam", "\(transport),RTP/AVP/TCP;unicast", .tracks), ("/cam", "RTP/SAVP,\(transport)", .tracks),
        ("/stream=1", "RTP/AVP/TCP", .tracks), ("/cam?src=1&pids=all", "RTP/AVP/TCP", .tracks),
    ])
    func onlyASetUpOfTheStreamOverUDPOpensASATIPSession(path: String, offers: String, encapsulation: RTPEncapsulation) {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, "rtsp://h\(path)", [.transport: offers])
        #expect(response?.status == .ok)
        #expect(dialogue.encapsulation == encapsulation)
        #expect((response?.headers["com.ses.streamID"] != nil) == (encapsulation == .transportStream))
    }

    @Test func aSetUpWithoutTrackAfterDescribeSetsUpTheOnlyTrackOfTheStream() {
        var dialogue = Dialogue()
        dialogue.ask(.describe, Self.url)
        dialogue.orders = []
        dialogue.ask(.setUp, Self.url, [.transport: Self.transport])
        #expect(dialogue.encapsulation == .tracks)
    }

    // MARK: Numbers

    static let controls: [RTSP.Method] = [.options, .play, .getParameter, .setParameter, .pause, .tearDown]

    @Test(arguments: controls)
    func aStreamNumberWithItsSessionIDIsAccepted(method: RTSP.Method) {
        var dialogue = Dialogue()
        let headers = dialogue.open()
        #expect(dialogue.ask(method, "rtsp://192.0.2.1:8554/stream=1", headers)?.status == .ok)
        dialogue = Dialogue()
        #expect(dialogue.ask(method, Self.url, dialogue.open())?.status == .ok, "other clients use the path")
    }

    @Test(arguments: controls + [.setUp])
    func otherNumbersOrSessionIDsAreRefused(method: RTSP.Method) throws {
        var dialogue = Dialogue()
        var headers = dialogue.open()
        headers[.transport] = Self.transport
        for path in ["stream=2", "stream=0", "stream=65535", "stream=02"] {
            #expect(dialogue.ask(method, "rtsp://h/\(path)", headers)?.status == .sessionNotFound, "\(path)")
        }
        let stranger: Headers = [.session: Dialogue.session(9).text, .transport: Self.transport]
        #expect(dialogue.ask(method, "rtsp://h/stream=1", stranger)?.status == .sessionNotFound)
        #expect(dialogue.ask(method, "rtsp://h/stream=1", [.transport: Self.transport])?.status == .sessionNotFound)
        let tracks: Headers = [.session: try dialogue.setUp().text, .transport: Self.transport]
        #expect(dialogue.ask(method, "rtsp://h/stream=1", tracks)?.status == .sessionNotFound)
        #expect(dialogue.connection.sessions.sessions.count == 2)
    }

    @Test(arguments: ["stream=", "stream=x", "stream=65536", "stream=1/x", "stream=-1", "Stream=1", "other"])
    func invalidStreamNumbersAreRefused(path: String) {
        var dialogue = Dialogue()
        let headers = dialogue.open()
        #expect(dialogue.ask(.play, "rtsp://h/\(path)", headers)?.status == .notFound)
    }

    @Test func twoStreamsOfAConnectionAreDistinguished() {
        var dialogue = Dialogue()
        let (first, second) = (dialogue.open(), dialogue.open())
        #expect(dialogue.ask(.play, "rtsp://h/stream=1", second)?.status == .sessionNotFound)
        #expect(dialogue.ask(.tearDown, "rtsp://h/stream=1", first)?.status == .ok)
        #expect(dialogue.ask(.play, "rtsp://h/stream=2", second)?.status == .ok)
    }

    @Test func aPathThatLooksLikeAStreamNumberIsServedAsTracks() throws {
        var dialogue = Dialogue()
        let url = "rtsp://h/stream=5"
        dialogue.ask(.describe, url)
        let response = dialogue.ask(.setUp, "\(url)/track1", [.transport: Self.transport])
        let session: Headers = [.session: try #require(response?.headers[.session])]
        for method in Self.controls { #expect(dialogue.ask(method, url, session)?.status == .ok, "\(method)") }
    }

    @Test func keepalivesKeepASessionAndSilentOnesTimeOut() {
        var dialogue = Dialogue()
        let headers = dialogue.open()
        for _ in 0..<5 {
            dialogue.pass(milliseconds: 55_000)
            #expect(dialogue.ask(.options, "rtsp://h/stream=1", headers)?.status == .ok)
        }
        dialogue.pass(milliseconds: 75_000)
        #expect(dialogue.orders.last == .tearDown(Dialogue.session(1), .timedOut(seconds: 75)))
    }

    // MARK: Refusals

    @Test(arguments: [
        ("RTP/AVP;unicast;client_port=0-1", 461), ("RTP/AVP;unicast;client_port=9242-0", 461),
        ("RTP/AVP;unicast;client_port=9242-9242", 461), ("RTP/AVP;unicast;client_port=70000-70001", 461),
        ("RTP/AVP;unicast;client_port=65535", 461), ("RTP/AVP;unicast;client_port=", 461), ("RTP/AVP;unicast", 461),
        ("\(transport);mode=record", 461), ("\(transport);destination=192.0.2.8", 461), ("", 400),
    ])
    func invalidTransportsAreRefusedWithAReason(offers: String, status: Int) {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, Self.url, [.transport: offers])
        #expect(response?.status.code == status)
        #expect(response?.reason != response?.status.defaultReason)
        #expect(dialogue.orders.isEmpty)
    }

    @Test func theClientsOwnDestinationIsAccepted() {
        var dialogue = Dialogue()
        let own = "\(Self.transport);destination=192.0.2.7"
        #expect(dialogue.ask(.setUp, Self.url, [.transport: own])?.status == .ok)
        dialogue = Dialogue(peer: Endpoint(address: "::1", isLoopback: true))
        let media = "\(Self.transport);destination=127.0.0.1"
        #expect(dialogue.ask(.setUp, Self.url, [.transport: media])?.status == .ok, "its media address")
    }

    @Test(arguments: [
        "src=1", "fe=1", "freq=11538", "pol=v", "msys=dvbs2", "mtype=qpsk", "sr=22000", "fec=34", "ro=0.35", "plts=off",
        "bw=8", "tmode=8k", "gi=14", "plp=1", "t2id=1", "sm=0", "c2tft=0", "ds=1", "specinv=0", "pids=0,16", "FREQ=1",
        "x=1&addpids=17", "delpids=17&x=1", "pids",
    ])
    func tunerParametersAreRefusedWithAReason(query: String) {
        var dialogue = Dialogue()
        let response = dialogue.ask(.setUp, "rtsp://h/?\(query)", [.transport: Self.transport])
        #expect(response?.status == .badRequest && response?.reason.contains("not a tuner") == true)
        #expect(dialogue.orders.isEmpty)
        let headers = dialogue.open()
        for method in [Method.play, .setUp] {
            let response = dialogue.ask(method, "rtsp://h/stream=1?\(query)", headers)
            #expect(response?.status == .badRequest && response?.reason.contains("not a tuner") == true)
        }
    }

    @Test func aSATIPSessionAllowsNoSecondSetUp() {
        var dialogue = Dialogue()
        var headers = dialogue.open()
        headers[.transport] = Self.transport
        for path in ["stream=1", "cam", "cam/track1"] {
            let response = dialogue.ask(.setUp, "rtsp://h/\(path)", headers)
            #expect(response?.status == .methodNotValidInThisState, "\(path)")
        }
        #expect(dialogue.ask(.setUp, "rtsp://h/other", headers)?.status == .aggregateOperationNotAllowed)
        #expect(dialogue.connection.sessions.sessions.count == 1)
    }

    // MARK: IPv6

    @Test func addressesWithoutBracketsAreAcceptedOnlyFromSATIPClients() {
        var dialogue = Dialogue()
        let refused: [(RTSP.Method, String)] = [
            (.options, "cam"), (.describe, "cam"), (.setUp, "cam/track1"), (.getParameter, "cam"),
            (.describe, "stream=1"),
        ]
        for (method, path) in refused {
            let response = dialogue.ask(method, "rtsp://::1:8554/\(path)", [.transport: Self.transport])
            #expect(response?.status == .badRequest && response?.reason == "Bad Request URL", "\(method) \(path)")
            #expect(dialogue.ask(method, "rtsp://[::1]:8554/\(path)")?.reason != "Bad Request URL")
            dialogue = Dialogue()
        }
        #expect(dialogue.ask(.setUp, "rtsp://::1:8554/cam", [.transport: Self.transport])?.status == .ok)
        let session: Headers = [.session: Dialogue.session(1).text]
        for method in Self.controls {
            #expect(dialogue.ask(method, "rtsp://::1:8554/stream=1", session)?.status == .ok, "\(method)")
        }
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("127.0.0.1", "127.0.0.1"), ("::1", "127.0.0.1"), ("0:0::0:1", "127.0.0.1"),
            ("::ffff:192.0.2.7", "192.0.2.7"), ("::FFFF:c000:0207", "192.0.2.7"),
            ("0:0:0:0:0:ffff:10.0.0.1", "10.0.0.1"),
            ("2001:db8::1", nil), ("fe80::1", nil), ("::", nil), ("1::", nil), ("::192.0.2.7", nil), ("::1:1", nil),
            ("::fffe:192.0.2.7", nil), ("", nil), (":", nil), (":::1", nil), ("::1::", nil), ("0:0:0:0:0:0:0:0:1", nil),
            ("0:0:0:0:0:0:1", nil), ("1:2:3:4:5:6:7::8:9", nil), ("::00001", nil), ("::+1", nil), ("::ffff:1.2.3", nil),
            ("::ffff:1.2.3.256", nil), ("1.2.3.4::", nil), ("192.0.2.07", nil), ("192.0.2", nil), ("host", nil),
            ("[::1]", nil), ("::ffff:1.2.3.4:5", nil),
        ] as [(String, String?)])
    func mediaIsSentToIPv4Only(peer: String, address: String?) {
        #expect(SATIP.mediaAddress(forPeer: peer) == address)
    }
}

extension Dialogue {
    /// Sets up a transport stream and returns the headers with its session ID.
    fileprivate mutating func open() -> Headers {
        let response = ask(.setUp, SATIPTests.url, [.transport: SATIPTests.transport])
        #expect(response?.status == .ok)
        return [.session: response?.headers[.session] ?? ""]
    }

    /// The encapsulation of the first SETUP.
    fileprivate var encapsulation: RTPEncapsulation? {
        guard case .setUp(_, let request)? = orders.first else { return nil }
        return request.encapsulation
    }
}
