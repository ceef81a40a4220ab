import Media
import SDP
import TestSupport
import Testing
import Wire

@testable import RTSP

@Suite struct ClientConnectionTests {
    @Test(arguments: [1, 2, 7, 64, Int.max])
    func aSessionPlaysWithAnySplitOfTheBytes(chunk: Int) {
        var pair = BackToBack()
        pair.chunk = chunk
        pair.play()
        #expect(pair.client.phase == .playing)
        #expect(pair.clientActions.count == 4)
        guard case .described(let description)? = pair.clientActions.first else {
            Issue.record("the description comes first")
            return
        }
        #expect(description.media.count == 2)
        #expect(pair.clientActions.last == .playing(starts: [start(1), start(2)]))
    }

    private func start(_ track: Int) -> RTPInfo.Entry {
        RTPInfo.Entry(url: "rtsp://127.0.0.1:8554/cam/track\(track)", sequenceNumber: 9, timestamp: 10)
    }

    @Test func keepalivesHoldASessionForAsLongAsItPlays() {
        var pair = BackToBack(sessionTimeoutSeconds: 10)
        pair.play()
        for _ in 0..<100 { pair.advance(seconds: 5) }
        #expect(pair.client.phase == .playing)
        #expect(pair.tornDown.isEmpty)
        #expect(pair.client.keepalive.method == .getParameter)
    }

    /// The session goes on as long as media comes, which the connection does not see.
    @Test func aServerThatAnswersNoKeepaliveIsPlayed() {
        var pair = BackToBack(sessionTimeoutSeconds: 60)
        pair.play()
        var sent = 0
        while pair.now < MonotonicTime(nanoseconds: 600_000_000_000) {
            pair.now = pair.client.nextDeadline
            pair.client.deadlinePassed(at: pair.now)
            while let action = pair.client.nextAction() {
                if case .send = action { sent += 1 } else { Issue.record("\(action)") }
            }
        }
        #expect(pair.client.phase == .playing && sent == 20)
    }

    @Test func aSilentClientLosesItsSession() {
        var pair = BackToBack(sessionTimeoutSeconds: 10)
        pair.play()
        pair.client.keepalive.stop()
        for _ in 0..<4 { pair.advance(seconds: 5) }
        #expect(pair.tornDown.count == 1)
    }

    @Test func theShortestRoundTripIsRecorded() throws {
        var client = ClientConnection(url: try #require(RequestURL("rtsp://127.0.0.1/cam")))
        func instant(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
        client.connected(at: instant(10))
        #expect(client.shortestRoundTrip == nil)
        client.received(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n".utf8).rawSpan, at: instant(13))
        #expect(client.shortestRoundTrip == 3_000_000)
        client.received(Array("RTSP/1.0 404 Not Found\r\nCSeq: 2\r\n\r\n".utf8).rawSpan, at: instant(20))
        #expect(client.shortestRoundTrip == 3_000_000)
    }

    @Test func tearingDownEndsTheSessionAndThenTheConnection() {
        var pair = BackToBack()
        pair.play()
        pair.client.tearDown(at: pair.now)
        pair.settle()
        #expect(pair.tornDown.count == 1)
        #expect(pair.clientActions.last == .close(.finished))
        #expect(pair.client.nextDeadline == .distantFuture)
    }

    @Test func tearingDownWithoutASessionCloses() {
        var pair = BackToBack()
        pair.client.connected(at: pair.now)
        pair.settle()
        pair.client.tearDown(at: pair.now)
        #expect(pair.client.nextAction() == .close(.finished))
    }

    @Test func interleavedPacketsPassBetweenAnswers() {
        var pair = BackToBack()
        pair.play()
        pair.client.received(([0x24, 0, 0, 2, 5, 6] as [UInt8]).rawSpan, at: pair.now)
        #expect(pair.client.nextAction() == .receivedInterleaved(channel: 0, [5, 6]))
        pair.client.received(([0x24, 0, 0] as [UInt8]).rawSpan, at: pair.now)
        #expect(pair.client.nextAction() == nil)
        pair.client.received(([1, 7] as [UInt8]).rawSpan, at: pair.now)
        #expect(pair.client.nextAction() == .receivedInterleaved(channel: 0, [7]))
    }

    @Test func aMissingResponseClosesTheConnection() {
        var client = Self.client()
        client.connected(at: MonotonicTime(nanoseconds: 0))
        _ = client.nextAction()
        let deadline = client.nextDeadline
        #expect(deadline == MonotonicTime(nanoseconds: 10_000_000_000))
        client.deadlinePassed(at: deadline)
        #expect(client.nextAction() == .close(.noAnswer(.options)))
    }

    /// Responses after OPTIONS, and the resulting close reason.
    static let refusals: [(answer: String, reason: ClientCloseReason)] = [
        ("RTSP/1.0 404 Not Found\r\nCSeq: 2\r\n\r\n", .refused(.describe, .notFound, reason: "Not Found")),
        (
            "RTSP/1.0 503 Busy\r\nCSeq: 2\r\nRetry-After: 30 \r\n\r\n",
            .refused(.describe, StatusCode(503)!, reason: "Busy", retrySeconds: 30)
        ),
        (
            "RTSP/1.0 503 Busy\r\nCSeq: 2\r\nRetry-After: Fri, 20 Nov 2026 12:00:00 GMT\r\n\r\n",
            .refused(.describe, StatusCode(503)!, reason: "Busy")
        ),
        ("RTSP/1.0 404\r\n\r\n", .refused(.describe, .notFound, reason: "")),
        ("RTSP/1.0 401 No\r\nCSeq: 2\r\n\r\n", .passwordRequired(.describe)),
        (
            "RTSP/1.0 302 Moved\r\nCSeq: 2\r\nLocation: rtsp://me:secret@other:8554/cam\r\n\r\n",
            .moved(.describe, to: RequestURL("rtsp://other:8554/cam")!)
        ),
        ("RTSP/1.0 302 Moved\r\nCSeq: 2\r\n\r\n", .refused(.describe, StatusCode(302)!, reason: "Moved")),
        (
            "RTSP/1.0 200 OK\r\nCSeq: 2\r\n\r\n",
            .badDescription(ClientConnectionTests.whatIsWrongWithNothing)
        ),
    ]

    @Test(arguments: refusals.indices)
    func aRefusalClosesWithItsReason(index: Int) {
        var client = Self.client()
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        client.received(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n".utf8).rawSpan, at: now)
        client.received(Array(Self.refusals[index].answer.utf8).rawSpan, at: now)
        #expect(Self.drain(&client).last == .close(Self.refusals[index].reason))
        client.received([0x24].rawSpan, at: now)
        #expect(client.nextAction() == nil)
    }

    @Test func aResponseWithoutCSeqBelongsToThePendingRequest() {
        var client = Self.client()
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        client.received(Array("RTSP/1.0 200 OK\r\n\r\n".utf8).rawSpan, at: now)
        #expect(client.phase == .describe)
    }

    @Test func aResponseWithAnotherCSeqIsIgnored() {
        var client = Self.client()
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        _ = client.nextAction()
        client.received(Array("RTSP/1.0 200 OK\r\nCSeq: 77\r\n\r\n".utf8).rawSpan, at: now)
        #expect(client.nextAction() == nil)
        #expect(client.phase == .options)
    }

    /// Control attributes and bases (RFC 2326, C.1.1).
    static let controls: [(base: String, control: String?, url: String)] = [
        ("rtsp://h/cam", "track1", "rtsp://h/cam/track1"),
        ("rtsp://h/cam/", "track1", "rtsp://h/cam/track1"),
        ("rtsp://h/cam?a=1", "trackID=0", "rtsp://h/cam?a=1/trackID=0"),
        ("rtsp://h/cam", "*", "rtsp://h/cam"),
        ("rtsp://h/cam", nil, "rtsp://h/cam"),
        ("rtsp://h/cam", "rtsp://other/x", "rtsp://other/x"),
    ]

    @Test(arguments: controls)
    func controlsAreResolvedAgainstTheBase(_ row: (base: String, control: String?, url: String)) {
        var client = Self.client()
        client.base = row.base
        #expect(client.resolve(row.control) == row.url)
    }

    @Test(arguments: [
        ("192.168.1.10:554/stream0/", "rtsp://h/cam"), ("", "rtsp://h/cam"), ("rtsp://h/cam/x/", "rtsp://h/cam/x/"),
    ])
    func anInvalidContentBaseIsIgnored(contentBase: String, base: String) {
        var client = Self.client()
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        client.received(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n".utf8).rawSpan, at: now)
        let answer = Response(
            .ok, headers: [.cSeq: "2", .contentBase: contentBase], body: Array(BackToBack.sdp.utf8))
        client.received(Writer.bytes(of: answer).rawSpan, at: now)
        #expect(client.phase == .choosing)
        #expect(client.base == base)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func corruptedResponsesLeadToACloseOrAWait(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var client = Self.client()
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        var bytes = Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\nPublic: DESCRIBE\r\n\r\n".utf8)
        bytes += Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: \(BackToBack.sdp.utf8.count)\r\n\r\n".utf8)
        bytes += Array(BackToBack.sdp.utf8)
        for _ in 0..<4 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
        client.received(bytes.rawSpan, at: now)
        let actions = Self.drain(&client)
        #expect(actions.count { if case .close = $0 { true } else { false } } <= 1)
        #expect(client.phase == .closed || client.phase == .choosing || client.nextDeadline < .distantFuture)
    }

    static var whatIsWrongWithNothing: SessionDescription.ParseError {
        do {
            _ = try SessionDescription(parsing: [UInt8]())
            preconditionFailure("nothing is no description")
        } catch {
            return error
        }
    }

    static func client() -> ClientConnection {
        guard let url = RequestURL("rtsp://h/cam") else { preconditionFailure("the test's URL is valid") }
        return ClientConnection(url: url)
    }

    static func drain(_ client: inout ClientConnection) -> [ClientAction] {
        var actions: [ClientAction] = []
        while let action = client.nextAction() { actions.append(action) }
        return actions
    }
}
