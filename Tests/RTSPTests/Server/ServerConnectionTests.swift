import Media
import TestSupport
import Testing
import Wire

@testable import RTSP

/// Transcripts on virtual time: messages, and methods that need no session.
struct ServerConnectionTests {
    @Test(arguments: ["0", "1", "2147483647"])
    func everyResponseEchoesTheCSeq(number: String) {
        var dialogue = Dialogue()
        for line in ["OPTIONS *", "DESCRIBE rtsp://h/none", "SETUP rtsp://h/cam", "EAT rtsp://h/", "PLAY nonsense"] {
            let responses = dialogue.put("\(line) RTSP/1.0\r\nCSeq: \(number)\r\n\r\n")
            #expect(responses.map { $0.headers[.cSeq] } == [number], "\(line)")
        }
    }

    @Test(arguments: ["", "CSeq: x\r\n", "CSeq: 2147483648\r\n", "CSeq: -1\r\n", "CSeq: 1\r\nCSeq: 2\r\n"])
    func aRequestWithoutAValidCSeqIsBad(header: String) {
        var dialogue = Dialogue()
        let responses = dialogue.put("OPTIONS * RTSP/1.0\r\n\(header)\r\n")
        #expect(responses.map(\.status) == [.badRequest])
        #expect(responses.first?.headers[.cSeq] == nil)
        #expect(dialogue.ask(.options)?.status == .ok, "the connection stays open")
    }

    /// A complete session as text.
    static var session: [UInt8] {
        let id = Dialogue.session(1)
        return Array(
            """
            OPTIONS * RTSP/1.0
            CSeq: 1

            DESCRIBE rtsp://cam.example:8554/cam RTSP/1.0
            CSeq: 2
            Accept: application/sdp

            SETUP rtsp://cam.example:8554/cam/track1 RTSP/1.0
            CSeq: 3
            Transport: RTP/AVP;unicast;client_port=5000-5001, RTP/AVP/TCP;unicast;interleaved=0-1

            SETUP rtsp://cam.example:8554/cam/track2 RTSP/1.0
            CSeq: 4
            Session: \(id)
            Transport: RTP/AVP/TCP;unicast;interleaved=2-3

            PLAY rtsp://cam.example:8554/cam RTSP/1.0
            CSeq: 5
            Session: \(id)
            Range: npt=0.000-

            SET_PARAMETER rtsp://cam.example:8554/cam RTSP/1.0
            CSeq: 6
            Session: \(id)
            Content-Length: 26

            OPTIONS * RTSP/1.0
            CSeq: 7
            PAUSE rtsp://cam.example:8554/cam RTSP/1.0
            CSeq: 8
            Session: \(id)

            TEARDOWN rtsp://cam.example:8554/cam RTSP/1.0
            CSeq: 9
            Session: \(id)


            """.utf8)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() {
        var dialogue = Dialogue()
        let responses = dialogue.put(Self.session)
        #expect(responses.map { $0.headers[.cSeq] } == ["1", "2", "3", "4", "5", "6", "8", "9"])
        #expect(responses.map(\.status.code) == [200, 200, 200, 200, 200, 451, 200, 200])
    }

    @Test func outputDoesNotDependOnHowInputBytesAreSplit() {
        var whole = Dialogue()
        whole.put(Self.session)
        for split in 1..<Self.session.count {
            var dialogue = Dialogue()
            dialogue.put(Array(Self.session[..<split]))
            dialogue.put(Array(Self.session[split...]))
            #expect(dialogue.sent == whole.sent && dialogue.orders == whole.orders, "split at \(split)")
        }
    }

    @Test func requestsBehindAPendingOneAreAnsweredAfterIt() {
        var dialogue = Dialogue()
        dialogue.answers = false
        dialogue.ask(.describe)
        #expect(dialogue.ask(.options) == nil)
        guard let describe = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        dialogue.answer(describe)
        #expect(dialogue.drain().map { $0.headers[.cSeq] } == ["1", "2"])
        dialogue.answer(describe)
        #expect(dialogue.drain().isEmpty, "a second answer has no effect")
    }

    @Test func optionsListsTheSupportedMethods() {
        var dialogue = Dialogue()
        for url in ["*", Dialogue.url, "rtsp://h/none"] {
            let response = dialogue.ask(.options, url)
            #expect(response?.status == .ok)
            #expect(
                response?.headers[.public]
                    == "OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, TEARDOWN, GET_PARAMETER, SET_PARAMETER, ANNOUNCE, RECORD"
            )
            #expect(response?.headers["Connection"] == nil)
        }
    }

    @Test(
        arguments: [
            nil, "application/sdp", "Application/SDP;q=0.5, text/plain", "*/*", "application/*",
        ] as [String?])
    func describeAcceptsClientsThatAcceptSDP(accept: String?) {
        var dialogue = Dialogue()
        var headers = Headers()
        headers[.accept] = accept
        let response = dialogue.ask(.describe, Dialogue.url, headers)
        #expect(response?.status == .ok)
        #expect(response?.headers[.contentType] == "application/sdp")
        #expect(response?.headers[.contentBase] == "rtsp://cam.example:8554/cam/")
        #expect(response?.body == Array("v=0\r\n".utf8))
    }

    @Test func describeRefusesClientsThatDoNotAcceptSDP() {
        var dialogue = Dialogue()
        #expect(dialogue.ask(.describe, Dialogue.url, [.accept: "application/rtsl"])?.status == .notAcceptable)
        #expect(dialogue.orders.isEmpty)
    }

    @Test func describePassesOnTheClientsRequest() {
        var dialogue = Dialogue()
        dialogue.ask(.describe, "RTSP://u:p@Other:554/a%20b/?x=1", [.userAgent: "Lavf/59"])
        guard case .describe(_, let request)? = dialogue.orders.first else { return #expect(Bool(false), "no order") }
        #expect(request.path == "/a b")
        #expect(request.query == "x=1")
        #expect(request.baseURL == "RTSP://Other:554/a%20b/?x=1/")
        #expect(request.userAgent == "Lavf/59")
    }

    @Test(arguments: [
        ("DESCRIBE rtsp://h/none RTSP/1.0", 404), ("DESCRIBE /cam RTSP/1.0", 400), ("DESCRIBE * RTSP/1.0", 400),
        ("ANNOUNCE rtsp://h/cam RTSP/1.0", 400), ("RECORD rtsp://h/cam RTSP/1.0", 455),
        ("REDIRECT rtsp://h/cam RTSP/1.0", 405), ("EAT * RTSP/1.0", 501),
        ("options * RTSP/1.0", 501), ("OPTIONS * RTSP/2.0", 505), ("SETUP rtsp://h/cam RTSP/1.0", 400),
        ("PLAY rtsp://h/cam RTSP/1.0", 454), ("PAUSE rtsp://h/cam RTSP/1.0", 454),
        ("TEARDOWN rtsp://h/cam RTSP/1.0", 454), ("GET_PARAMETER rtsp://h/cam RTSP/1.0", 200),
        ("SET_PARAMETER * RTSP/1.0", 200),
    ])
    func statusOfRequestsWithoutSession(line: String, status: Int) {
        var dialogue = Dialogue()
        let responses = dialogue.put("\(line)\r\nCSeq: 1\r\n\r\n")
        #expect(responses.map(\.status.code) == [status])
        if status == 405 { #expect(responses.first?.headers[.allow]?.contains("DESCRIBE") == true) }
        #expect(!dialogue.connection.isClosed)
    }

    @Test func unknownRequiredOptionsAreUnsupported() {
        var dialogue = Dialogue()
        let tag = "www.onvif.org/ver20/backchannel"
        let response = dialogue.ask(.describe, Dialogue.url, [.require: "\(tag), <x>"])
        #expect(response?.status == .optionNotSupported)
        #expect(response?.headers[.unsupported] == tag)
        #expect(dialogue.orders.isEmpty)
    }

    @Test(arguments: [Method.getParameter, .setParameter])
    func parametersAreNotSupported(method: RTSP.Method) {
        var dialogue = Dialogue()
        #expect(dialogue.ask(method, "*", body: Array("position\r\n".utf8))?.status == .parameterNotUnderstood)
        #expect(dialogue.ask(method, "*", body: Array("\r\n".utf8))?.status == .ok)
    }

    @Test(arguments: [
        ("GET /cam HTTP/1.1\r\n", "HTTP/1.0 501 "),
        ("POST /cam HTTP/1.0\r\nContent-Length: 32767\r\n", "HTTP/1.0 501 "),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}", "RTSP/1.0 400 "), ("no request\r\n", "RTSP/1.0 400 "),
        ("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 65537\r\n\r\n", "RTSP/1.0 413 "),
        ("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: x\r\n\r\n", "RTSP/1.0 400 "),
        ("DESCRIBE rtsp://h/" + String(repeating: "a", count: 3000), "RTSP/1.0 414 "),
    ])
    func invalidRTSPIsAnsweredAndClosed(text: String, answer: String) {
        var dialogue = Dialogue()
        dialogue.put(text)
        let sent = String(decoding: dialogue.sent, as: UTF8.self)
        #expect(sent.hasPrefix(answer))
        #expect(sent.contains("CSeq: 1\r\n") == text.contains("CSeq: 1\r\n"))
        #expect(dialogue.closeReason != nil)
        #expect(dialogue.put("OPTIONS * RTSP/1.0\r\nCSeq: 2\r\n\r\n").isEmpty)
    }

    @Test func oneStepHandlesALimitedNumberOfMessages() throws {
        var dialogue = Dialogue()
        (dialogue.answers, dialogue.goesOn) = (false, false)
        dialogue.ask(.describe)
        let requests = (2...101).map { "OPTIONS * RTSP/1.0\r\nCSeq: \($0)\r\n\r\n" }.joined()
        #expect(dialogue.put(requests).isEmpty)
        guard case .describe(let id, _)? = dialogue.orders.last else { throw Refusal(.badRequest) }
        let limit = dialogue.connection.configuration.messagesPerStep
        dialogue.connection.described(id, .failure(Refusal(.notFound)), at: dialogue.now)
        var responses = dialogue.drain()
        #expect(responses.count <= 1 + limit)
        while dialogue.connection.hasUnprocessedMessages {
            #expect(!dialogue.connection.wantsBytes)
            dialogue.connection.continueProcessing(at: dialogue.now)
            let step = dialogue.drain()
            #expect((1...limit).contains(step.count))
            responses += step
        }
        #expect(responses.compactMap { $0.headers[.cSeq] } == (1...101).map(String.init))
        #expect(dialogue.connection.wantsBytes)
    }

    @Test func bytesReceivedWhileMessagesWaitAreHandledAfterThem() {
        var dialogue = Dialogue()
        dialogue.goesOn = false
        func requests(_ numbers: ClosedRange<Int>) -> String {
            numbers.map { "OPTIONS * RTSP/1.0\r\nCSeq: \($0)\r\n\r\n" }.joined()
        }
        let limit = dialogue.connection.configuration.messagesPerStep
        let first = dialogue.put(requests(1...(limit + 1)))
        #expect(first.count == limit && dialogue.connection.hasUnprocessedMessages)
        #expect(dialogue.put(requests((limit + 2)...(limit + 3))).isEmpty)
        // The end of the client's data is handled after its messages, too.
        dialogue.connection.receivedEnd(at: dialogue.now)
        #expect(dialogue.drain().isEmpty && dialogue.closeReason == nil)
        dialogue.connection.continueProcessing(at: dialogue.now)
        #expect(dialogue.drain().count == 3 && dialogue.closeReason == .peerClosed)
    }

    @Test func oneSetUpHasALimitedNumberOfOffers() throws {
        var dialogue = Dialogue()
        dialogue.answers = false
        let offers = (0..<300).map { "RTP/AVP;unicast;client_port=\(5_000 + 2 * $0)-\(5_001 + 2 * $0)" }
        dialogue.ask(.setUp, "\(Dialogue.url)/track1", [.transport: offers.joined(separator: ",")])
        guard case .setUp(_, let request)? = dialogue.orders.last else { throw Refusal(.badRequest) }
        #expect(request.offers.count == dialogue.connection.configuration.maximumOfferCount)
        #expect(request.offers.first == .udp(clientPorts: PortPair(rtp: 5_000, rtcp: 5_001)))
    }

    @Test func corruptedSessionsEndWithAClose() {
        for seed in 0..<600 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var dialogue = Dialogue()
            let bytes = Corruption.damaged(Self.session, using: &random)
            let split = Int.random(in: 0...bytes.count, using: &random)
            dialogue.put(Array(bytes[..<split]))
            dialogue.put(Array(bytes[split...]))
            dialogue.pass(milliseconds: 400_000)
            #expect(dialogue.closeReason != nil, "seed \(seed)")
            #expect(dialogue.connection.sessions.isEmpty, "seed \(seed)")
            #expect(dialogue.connection.nextDeadline == nil, "seed \(seed)")
        }
    }
}
