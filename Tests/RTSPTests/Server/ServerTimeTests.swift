import Media
import Testing
import Wire

@testable import RTSP

/// Transcripts on virtual time: timeouts, limits and the end of connections.
struct ServerTimeTests {
    @Test func aSilentSessionEndsExactlyAfterOneAndAQuarterTimeouts() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.pass(milliseconds: 74_999)
        #expect(!dialogue.orders.contains { $0 == .tearDown(session, .timedOut(seconds: 75)) })
        dialogue.pass(milliseconds: 1)
        #expect(dialogue.orders.last == .tearDown(session, .timedOut(seconds: 75)))
        #expect(dialogue.ask(.getParameter, Dialogue.url, [.session: session.text])?.status == .sessionNotFound)
        dialogue.pass(milliseconds: 60_000)
        #expect(dialogue.closeReason == .idle(seconds: 60))
    }

    @Test(arguments: [Method.options, .getParameter, .setParameter, .play, .pause])
    func anyRequestKeepsItsSession(method: RTSP.Method) throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        for _ in 0..<5 {
            dialogue.pass(milliseconds: 70_000)
            let response = dialogue.ask(method, Dialogue.url, [.session: session.text])
            #expect(response?.status == .ok)
            #expect(response?.headers[.session] == "\(session);timeout=60")
        }
    }

    @Test func rtcpAndDrainedDataKeepASession() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        for _ in 0..<3 {
            dialogue.pass(milliseconds: 70_000)
            dialogue.connection.noteActivity(of: session, at: dialogue.now)
            dialogue.pass(milliseconds: 70_000)
            dialogue.put([0x24, 1, 0, 0])
        }
        #expect(dialogue.ask(.options, "*", [.session: session.text])?.status == .ok)
    }

    @Test func requestsWithoutTheSessionIDDoNotKeepTheSession() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.pass(milliseconds: 70_000)
        dialogue.ask(.options)
        let foreign = dialogue.ask(.options, "*", [.session: Dialogue.session(99).text])
        #expect(foreign?.status == .sessionNotFound)
        dialogue.pass(milliseconds: 5_000)
        #expect(dialogue.orders.last == .tearDown(session, .timedOut(seconds: 75)))
    }

    @Test func aSessionDoesNotTimeOutDuringAPendingPlay() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: session.text])
        dialogue.pass(milliseconds: 200_000)
        guard let play = dialogue.orders.last, case .play = play else { return #expect(Bool(false), "it ended") }
        dialogue.answer(play)
        #expect(dialogue.drain().map(\.status) == [.ok])
        #expect(dialogue.connection.nextDeadline == dialogue.now.advanced(byMilliseconds: 75_000))
    }

    @Test func aConnectionWithoutSessionIsClosedWhenIdle() {
        var dialogue = Dialogue()
        dialogue.pass(milliseconds: 59_000)
        dialogue.ask(.options)
        dialogue.pass(milliseconds: 59_000)
        dialogue.put("\r\n\r\n")
        #expect(dialogue.closeReason == nil)
        dialogue.pass(milliseconds: 1_000)
        #expect(dialogue.closeReason == .idle(seconds: 60))
        #expect(dialogue.connection.nextDeadline == nil)
    }

    /// Its messages wait, because the responses to earlier ones cannot be sent.
    @Test func aClientThatDoesNotReadItsResponsesIsClosedWhenIdle() {
        var dialogue = Dialogue()
        dialogue.goesOn = false
        let count = dialogue.connection.configuration.messagesPerStep + 1
        dialogue.put((1...count).map { "OPTIONS * RTSP/1.0\r\nCSeq: \($0)\r\n\r\n" }.joined())
        #expect(dialogue.connection.hasUnprocessedMessages)
        dialogue.pass(milliseconds: 60_000)
        #expect(dialogue.closeReason == .idle(seconds: 60))
    }

    @Test(arguments: [
        "O", "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n", "OPTIONS * RTSP/1.0\r\nContent-Length: 9\r\n\r\n", "$\u{0}",
    ])
    func aSlowMessageClosesTheConnection(start: String) {
        var dialogue = Dialogue()
        dialogue.pass(milliseconds: 5_000)
        dialogue.put(start)
        dialogue.pass(milliseconds: 9_999)
        #expect(dialogue.closeReason == nil)
        dialogue.pass(milliseconds: 1)
        #expect(dialogue.closeReason == .messageTooSlow(seconds: 10))
    }

    @Test func bytesBehindAPendingRequestAreLimited() {
        var dialogue = Dialogue()
        dialogue.answers = false
        dialogue.ask(.describe)
        let flood = Array(repeating: UInt8(ascii: "$"), count: 8 * 1024)
        dialogue.put(flood)
        #expect(dialogue.connection.wantsBytes)
        for _ in 0..<3 { dialogue.put(flood) }
        #expect(!dialogue.connection.wantsBytes)
        #expect(dialogue.closeReason == nil)
        dialogue.put(flood)
        #expect(dialogue.closeReason == .tooManyBytesWaiting(byteCount: 40 * 1024))
    }

    @Test func aMessageMayBeLongerThanTheLimitOnWaitingBytes() {
        var dialogue = Dialogue()
        let body = Array(repeating: UInt8(ascii: " "), count: 60 * 1024)
        #expect(dialogue.ask(.getParameter, "*", body: body)?.status == .ok)
        #expect(dialogue.connection.wantsBytes && dialogue.closeReason == nil)
    }

    @Test func theEndOfAConnectionEndsItsSessions() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.connection.receivedEnd(at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.orders.suffix(2) == [.tearDown(session, .connectionClosed(.peerClosed)), .close(.peerClosed)])
    }

    @Test func requestsBeforeTheEndAreAnswered() {
        var dialogue = Dialogue()
        dialogue.answers = false
        dialogue.ask(.describe)
        dialogue.ask(.options)
        dialogue.connection.receivedEnd(at: dialogue.now)
        #expect(!dialogue.connection.wantsBytes)
        dialogue.drain()
        guard case .describe? = dialogue.orders.last, let describe = dialogue.orders.last else {
            return #expect(Bool(false), "closed before the answer")
        }
        dialogue.answer(describe)
        #expect(dialogue.drain().count == 2)
        #expect(dialogue.closeReason == .peerClosed)
    }

    @Test func shuttingDownEndsAllSessionsAndIgnoresLaterAnswers() throws {
        var dialogue = Dialogue()
        let first = try dialogue.setUp()
        let second = try dialogue.setUp()
        dialogue.answers = false
        dialogue.ask(.play, Dialogue.url, [.session: first.text])
        let play = try #require(dialogue.orders.last)
        dialogue.connection.shuttingDown()
        dialogue.connection.shuttingDown()
        dialogue.drain()
        #expect(
            dialogue.orders.suffix(3) == [
                .tearDown(first, .connectionClosed(.shuttingDown)),
                .tearDown(second, .connectionClosed(.shuttingDown)), .close(.shuttingDown),
            ])
        dialogue.answer(play)
        #expect(dialogue.drain().isEmpty)
    }

    @Test func everyCloseReasonHasAText() {
        let reasons: [CloseReason] = [
            .peerClosed, .peerSpokeHTTP, .malformed(ParseError(.badHeader, position: 3)), .messageTooSlow(seconds: 10),
            .idle(seconds: 60), .tooManyBytesWaiting(byteCount: 9), .shuttingDown,
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(reasons[2].description.hasSuffix("malformed header, at byte 3"))
    }
}
