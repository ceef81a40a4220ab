import Media
import SDP
import TestSupport
import Testing
import Wire

@testable import RTSP

/// A client that publishes, with transcripts of servers.
@Suite struct PublishingConnectionTests {
    private static let now = MonotonicTime(nanoseconds: 0)

    private static let description: SessionDescription = {
        let text = """
            v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=cam\r\nt=0 0\r\na=control:*\r\n\
            m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:track1\r\n\
            m=audio 0 RTP/AVP 97\r\na=rtpmap:97 opus/48000/2\r\na=control:track2\r\n
            """
        guard let description = try? SessionDescription(parsing: Array(text.utf8)) else {
            preconditionFailure("the test's description is one")
        }
        return description
    }()

    private static func transport(_ index: Int) -> Transport {
        var transport = Transport(.tcp, .unicast)
        transport.interleaved = ChannelPair(number: index)
        return transport
    }

    /// A client with a server that the test plays.
    private struct Exchange {
        var client: PublishingConnection
        var now = PublishingConnectionTests.now
        /// The requests so far.
        private(set) var sent: [Request] = []
        private(set) var orders: [PublishingAction] = []
        /// The number of bytes per read.
        var chunk = Int.max
        private var parser = Parser()

        init(_ url: String = "rtsp://h/cam", login: ClientLogin? = nil) {
            guard let url = RequestURL(url) else { preconditionFailure("the test's URL is one") }
            client = PublishingConnection(url: url, login: login)
            client.connected(
                announcing: PublishingConnectionTests.description,
                over: (0...1).map(PublishingConnectionTests.transport),
                at: now)
            drain()
        }

        /// The methods of the requests so far.
        var methods: [String] { sent.map(\.method.rawValue) }
        var end: ClientCloseReason? { if case .close(let reason)? = orders.last { reason } else { nil } }

        mutating func drain() {
            while let action = client.nextAction() {
                guard case .send(let bytes) = action else {
                    orders.append(action)
                    continue
                }
                parser.append(bytes.rawSpan)
                do {
                    while let element = try parser.next() {
                        if case .request(let request) = element { sent.append(request) }
                    }
                } catch {
                    Issue.record("the client's messages are well-formed: \(error)")
                }
            }
        }

        mutating func receive(_ text: String) {
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: min(chunk, bytes.count)) {
                client.received(
                    Array(bytes[start..<min(bytes.count, start + min(chunk, bytes.count))]).rawSpan, at: now)
                drain()
            }
        }

        /// Answers the last request.
        mutating func answer(_ status: String = "200 OK", _ headers: String...) {
            let number = sent.last?.headers[.cSeq] ?? "0"
            receive((["RTSP/1.0 \(status)", "CSeq: \(number)"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
        }

        /// Answers until the server records.
        mutating func record(public methods: String = "ANNOUNCE, RECORD", timeout: Int = 60) {
            answer("200 OK", "Public: \(methods)")
            answer()
            answer("200 OK", "Session: 12345678;timeout=\(timeout)", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1")
            answer("200 OK", "Session: 12345678;timeout=\(timeout)", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3")
            answer("200 OK", "Session: 12345678")
        }

        /// Lets time pass up to the next deadline, which is passed.
        mutating func passDeadline() {
            now = max(now, client.nextDeadline)
            client.deadlinePassed(at: now)
            drain()
        }
    }

    @Test(arguments: [1, 2, 7, Int.max])
    func aStreamIsAnnouncedSetUpAndRecorded(chunk: Int) throws {
        var exchange = Exchange()
        exchange.chunk = chunk
        exchange.record()
        #expect(exchange.methods == ["OPTIONS", "ANNOUNCE", "SETUP", "SETUP", "RECORD"])
        #expect(exchange.sent.map(\.headers[.cSeq]) == ["1", "2", "3", "4", "5"])
        #expect(exchange.sent.map(\.target) == ["", "", "/track1", "/track2", ""].map { "rtsp://h/cam" + $0 })
        #expect(exchange.sent[1].headers[.contentType] == "application/sdp")
        #expect(try SessionDescription(parsing: exchange.sent[1].body) == Self.description)
        #expect(
            exchange.sent[2...3].map(\.headers[.transport]) == [
                "RTP/AVP/TCP;unicast;interleaved=0-1;mode=record", "RTP/AVP/TCP;unicast;interleaved=2-3;mode=record",
            ])
        #expect(exchange.sent.map(\.headers[.session]) == [nil, nil, nil, "12345678", "12345678"])
        #expect(exchange.sent[4].headers[.range] == "npt=0.000-")
        #expect(
            exchange.orders == [
                .setUp(index: 0, Self.transport(0)), .setUp(index: 1, Self.transport(1)), .recording,
            ])
    }

    /// ffmpeg and gortsplib append the control name, also behind a query and a slash.
    @Test(arguments: [
        ("rtsp://h/p?t=a", "rtsp://h/p?t=a/track1"), ("rtsp://h/p/", "rtsp://h/p/track1"),
        ("rtsp://ann:sesame@h:8554/p", "rtsp://h:8554/p/track1"),
    ])
    func theURLOfATrackIsAppended(_ url: String, _ track: String) {
        var exchange = Exchange(url)
        exchange.record()
        #expect(exchange.sent[2].target == track)
    }

    @Test(arguments: [("ANNOUNCE, GET_PARAMETER", "GET_PARAMETER"), ("ANNOUNCE", "OPTIONS")])
    func keepalivesAreWhatTheServerOffers(_ methods: String, _ keepalive: String) {
        var exchange = Exchange()
        exchange.record(public: methods, timeout: 10)
        #expect(exchange.client.nextDeadline - exchange.now == 5_000_000_000)
        for _ in 0..<3 {
            exchange.passDeadline()
            exchange.answer()
        }
        #expect(exchange.methods.suffix(3) == [keepalive, keepalive, keepalive])
        #expect(exchange.sent.last?.headers[.session] == "12345678")
        #expect(exchange.end == nil)
    }

    @Test func aRefusedKeepaliveIsReplacedAndALostSessionEnds() {
        var exchange = Exchange()
        exchange.record(public: "GET_PARAMETER")
        exchange.passDeadline()
        exchange.answer("501 Not Implemented")
        exchange.passDeadline()
        #expect(exchange.methods.suffix(2) == ["GET_PARAMETER", "OPTIONS"])
        exchange.answer("454 Session Not Found")
        #expect(exchange.end == .refused(.options, .sessionNotFound, reason: "Session Not Found"))
    }

    @Test func credentialsAreSentAfterAChallengeAndWithEachLaterRequest() throws {
        let url = try #require(RequestURL("rtsp://ann:sesame@h/cam"))
        let login = ClientLogin(
            try #require(url.userInformation), hashes: .real, random: RandomNumbers(seed: 5).next)
        var exchange = Exchange("rtsp://ann:sesame@h/cam", login: login)
        exchange.answer()
        exchange.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"x\", nonce=\"1\"")
        #expect(exchange.methods == ["OPTIONS", "ANNOUNCE", "ANNOUNCE"])
        #expect(exchange.sent[1].body == exchange.sent[2].body)
        exchange.answer()
        exchange.answer("200 OK", "Session: 1", "Transport: RTP/AVP/TCP;interleaved=0-1")
        #expect(exchange.sent[0...1].allSatisfy { $0.headers[.authorization] == nil })
        #expect(
            exchange.sent[2...].allSatisfy { $0.headers[.authorization]?.hasPrefix("Digest username=\"ann\"") == true })
        // The same challenge again: the password is wrong.
        exchange.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"x\", nonce=\"1\"")
        #expect(exchange.end == .wrongPassword(.setUp))
    }

    @Test func refusalsOfAnnounceEndTheConnection() throws {
        let moved = try #require(RequestURL("rtsp://other/cam"))
        let table: [(String, String, ClientCloseReason)] = [
            (
                "403 Published by 192.0.2.7", "", .refused(.announce, .forbidden, reason: "Published by 192.0.2.7")
            ),
            (
                "503 Full", "Retry-After: 30",
                .refused(.announce, .serviceUnavailable, reason: "Full", retrySeconds: 30)
            ),
            (
                "503 Full", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT",
                .refused(.announce, .serviceUnavailable, reason: "Full")
            ),
            ("401 No", "", .passwordRequired(.announce)),
            ("302 Moved", "Location: rtsp://me:secret@other/cam", .moved(.announce, to: moved)),
        ]
        for (status, header, end) in table {
            var exchange = Exchange()
            exchange.answer("501 Not Implemented")
            exchange.answer(status, header)
            #expect(exchange.end == end, "\(status)")
            #expect(exchange.client.nextDeadline == .distantFuture)
        }
    }

    @Test func aSetUpWithoutATransportCannotBeUsed() {
        var exchange = Exchange()
        exchange.answer()
        exchange.answer()
        exchange.answer("200 OK", "Session: 1")
        #expect(exchange.end == .unusableAnswer(.setUp, "no transport"))
    }

    @Test func aTearDownWaitsForItsAnswer() {
        var exchange = Exchange()
        exchange.record()
        exchange.client.tearDown(at: exchange.now)
        exchange.drain()
        #expect(exchange.methods.last == "TEARDOWN" && exchange.end == nil)
        exchange.answer()
        #expect(exchange.end == .finished)
    }

    /// Before a session exists, and after the server is silent or gone.
    @Test func aTearDownAlwaysEnds() {
        var early = Exchange()
        early.client.tearDown(at: early.now)
        early.drain()
        #expect(early.end == .finished && early.methods == ["OPTIONS"])
        var silent = Exchange()
        silent.record()
        silent.client.tearDown(at: silent.now)
        silent.passDeadline()
        #expect(silent.end == .finished)
        var gone = Exchange()
        gone.record()
        gone.client.tearDown(at: gone.now)
        gone.client.receivedEnd(at: gone.now)
        gone.drain()
        #expect(gone.end == .finished)
    }

    @Test func aServerThatSaysNothingIsGivenUp() {
        var exchange = Exchange()
        exchange.answer()
        exchange.passDeadline()
        #expect(exchange.end == .noAnswer(.announce))
        var recording = Exchange()
        recording.record()
        recording.passDeadline()
        recording.passDeadline()
        #expect(recording.end == .noAnswer(.options))
    }

    @Test func aServerMayAskAndEnd() {
        var exchange = Exchange()
        exchange.record()
        exchange.receive("OPTIONS * RTSP/1.0\r\nCSeq: 7\r\n\r\n")
        #expect(exchange.end == nil)
        exchange.receive("TEARDOWN rtsp://h/cam RTSP/1.0\r\nCSeq: 8\r\n\r\n")
        #expect(exchange.end == .endedByServer)
    }

    @Test func reportsOfTheServerPassBetweenAnswers() {
        var exchange = Exchange()
        exchange.record()
        exchange.client.received(([0x24, 1, 0, 2, 5, 6] as [UInt8]).rawSpan, at: exchange.now)
        #expect(exchange.client.nextAction() == .receivedInterleaved(channel: 1, [5, 6]))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func corruptedResponsesLeadToACloseOrAWait(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var exchange = Exchange()
        var bytes: [UInt8] = []
        for number in 1...5 {
            bytes += Array(
                """
                RTSP/1.0 200 OK\r\nCSeq: \(number)\r\nSession: 1;timeout=9\r\nTransport: RTP/AVP/TCP;interleaved=0-1\r\n\r\n
                """.utf8)
        }
        for _ in 0..<4 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
        exchange.client.received(bytes.rawSpan, at: exchange.now)
        exchange.drain()
        for _ in 0..<4 where exchange.end == nil { exchange.passDeadline() }
        #expect(exchange.orders.count { if case .close = $0 { true } else { false } } == 1)
    }
}
