import TestSupport
import Testing
import Wire

@testable import RTSP

struct ParserTests {
    /// Parses `bytes` in pieces that end at `splits`, and returns all elements and the error.
    static func parse(
        _ bytes: [UInt8], splits: [Int] = [], limits: Parser.Limits = .init()
    ) -> ([Parser.Element], ParseError?) {
        var parser = Parser(limits: limits)
        var elements: [Parser.Element] = []
        var start = 0
        for end in splits + [bytes.count] {
            parser.append(Array(bytes[start..<end]).rawSpan)
            start = end
            do throws(ParseError) {
                while let element = try parser.next() { elements.append(element) }
            } catch {
                return (elements, error)
            }
        }
        return (elements, nil)
    }

    static func parse(_ text: String) -> ([Parser.Element], ParseError?) { parse(Array(text.utf8)) }

    static let messages: [Parser.Element] = [
        .request(Request(.options, "*", headers: [.cSeq: "1"])),
        .request(Request(.describe, "rtsp://h/cam?x=1", headers: [.cSeq: "2", .accept: "application/sdp"])),
        .request(
            Request(
                .setParameter, "rtsp://h/cam", headers: [.cSeq: "3", .contentLength: "19"],
                body: Array("OPTIONS * RTSP/1.0\n".utf8))),
        .request(Request(Method(rawValue: "X-odd"), "rtsp://h/", version: Version(major: 2, minor: 0))),
        .response(Response(.ok, headers: [.cSeq: "4", .public: "OPTIONS, DESCRIBE"])),
        .response(Response(.notFound, reason: "No Such Path", headers: [.cSeq: "5"])),
        .response(
            Response(.ok, headers: [.contentType: "application/sdp", .contentLength: "4"], body: [0, 255, 36, 10])),
        .interleaved(channel: 0, []),
        .interleaved(channel: 255, ArraySlice(repeating: 0x24, count: 300)),
    ]

    static func bytes(of element: Parser.Element) -> [UInt8] {
        switch element {
        case .request(let request): Writer.bytes(of: request)
        case .response(let response): Writer.bytes(of: response)
        case .interleaved(let channel, let data): Writer.interleaved(channel: channel, Array(data)) ?? []
        }
    }

    @Test(arguments: messages)
    func theParserReadsWhatTheWriterWrites(message: Parser.Element) {
        let (elements, error) = Self.parse(Self.bytes(of: message))
        #expect(elements == [message])
        #expect(error == nil)
    }

    @Test func severalMessagesInOneReadKeepTheirOrder() {
        #expect(Self.parse(Self.messages.flatMap(Self.bytes)).0 == Self.messages)
    }

    @Test func everySplitGivesTheSameElements() {
        let bytes = Self.messages.flatMap(Self.bytes)
        for split in 0...bytes.count {
            #expect(Self.parse(bytes, splits: [split]).0 == Self.messages, "split at \(split)")
        }
        #expect(Self.parse(bytes, splits: Array(1..<bytes.count)).0 == Self.messages, "byte by byte")
    }

    @Test(arguments: messages)
    func trailingBytesBelongToTheNextMessage(message: Parser.Element) throws {
        let bytes = Self.bytes(of: message)
        var parser = Parser()
        parser.append((bytes + Array("OPT".utf8)).rawSpan)
        #expect(try parser.next() == message)
        #expect(try parser.next() == nil)
        #expect(parser.isInsideMessage)
        parser.append(Array("IONS * RTSP/1.0\r\n\r\n".utf8).rawSpan)
        #expect(try parser.next() == .request(Request(.options, "*")))
        #expect(!parser.isInsideMessage)
    }

    @Test(arguments: [
        "\r\n\r\nOPTIONS * RTSP/1.0\r\ncseq:1\r\n\r\n",
        "OPTIONS * RTSP/1.0\nCSEQ: 1\n\n",
        "\n\nOPTIONS * rtsp/1.0\r\nCSeq \t:\t 1 \t\r\n\n",
        "OPTIONS  *  RTSP/1.0 \r\nCSeq:\r\n 1\r\n\r\n",
    ])
    func laxMessagesAreRead(text: String) {
        #expect(Self.parse(text).0 == [.request(Request(.options, "*", headers: [.cSeq: "1"]))])
    }

    @Test func foldedLinesAreUnfoldedAndEmptyValuesKept() {
        let (elements, _) = Self.parse("OPTIONS * RTSP/1.0\r\nX-Empty:\r\nAccept: a,\r\n\tb\r\n\r\n")
        guard case .request(let request)? = elements.first else { return #expect(Bool(false), "no request") }
        #expect(request.headers["x-empty"] == "")
        #expect(request.headers.list(of: .accept) == ["a", "b"])
    }

    static let faults: [(String, ParseError.Fault, Int)] = [
        ("\u{16}\u{3}\u{1}\u{2}", .notText, 0),
        ("\r\n\u{7F}", .notText, 2),
        ("OPTIONS * RTSP/1.0\r\nA: b\u{0}\r\n\r\n", .controlCharacter, 24),
        ("OPTIONS *\rRTSP/1.0\r\n", .controlCharacter, 9),
        ("OPTIONS *\r\n\r\n", .badStartLine, 0),
        ("OPTIONS * FOO/1.0\r\n\r\n", .badStartLine, 0),
        ("DESCRIBE rtsp://h/a\tb RTSP/1.0\r\n", .badStartLine, 0),
        ("OPTIONS * RTSP/one\r\n\r\n", .badStartLine, 0),
        ("RTSP/1.0 20 OK\r\n", .badStartLine, 0),
        ("RTSP/1.0 999 OK\r\n", .badStartLine, 0),
        ("GET /cam HTTP/1.1\r\n", .http, 0),
        ("POST / http/1.0\r\n", .http, 0),
        ("HTTP/1.1 400 Bad Request\r\n", .http, 0),
        ("OPTIONS * RTSP/1.0\r\n folded: 1\r\n", .badHeader, 20),
        ("OPTIONS * RTSP/1.0\r\nno colon\r\n", .badHeader, 20),
        ("OPTIONS * RTSP/1.0\r\n: 1\r\n", .badHeader, 20),
        ("OPTIONS * RTSP/1.0\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n", .badContentLength, 58),
        ("OPTIONS * RTSP/1.0\r\nContent-Length: -1\r\n\r\n", .badContentLength, 40),
        ("OPTIONS * RTSP/1.0\r\nContent-Length: 1x\r\n\r\n", .badContentLength, 40),
        ("OPTIONS * RTSP/1.0\r\nContent-Length:\r\n\r\n", .badContentLength, 37),
        ("OPTIONS * RTSP/1.0\r\nContent-Length: 65537\r\n\r\n", .bodyTooLong, 43),
        ("OPTIONS * RTSP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n", .bodyTooLong, 58),
    ]

    @Test(arguments: faults)
    func faultsHaveTheSamePositionForAllSplits(text: String, fault: ParseError.Fault, position: Int) {
        let bytes = Array(text.utf8)
        for splits in [[], Array(1..<bytes.count)] {
            let (elements, error) = Self.parse(bytes, splits: splits)
            #expect(elements.isEmpty)
            #expect(error?.fault == fault)
            #expect(error?.position == position)
        }
    }

    @Test func anErrorHasTheCSeqAndIsPermanent() {
        var parser = Parser()
        parser.append(Array("OPTIONS * RTSP/1.0\r\nCSeq: 9\r\nbad\r\n\r\nOPTIONS * RTSP/1.0\r\n\r\n".utf8).rawSpan)
        let expected = ParseError(.badHeader, position: 29, cSeq: CSeq(9))
        for _ in 0..<2 { #expect(throws: expected) { try parser.next() } }
    }

    @Test func limitsApplyBeforeMuchIsBuffered() {
        let long = String(repeating: "a", count: 20_000)
        #expect(Self.parse("DESCRIBE rtsp://h/\(long)").1?.status == .requestURITooLarge)
        #expect(Self.parse("DESCRIBE rtsp://h/\(long.prefix(2040)) RTSP/1.0\r\n").1?.fault == .urlTooLong)
        #expect(Self.parse("DESCRIBE rtsp://h/\(long.prefix(2039)) RTSP/1.0\r\n").1 == nil)
        #expect(Self.parse("OPTIONS * RTSP/1.0\r\nA: \(long)").1?.fault == .headTooLong)
        let fields = String(repeating: "A: b\r\n", count: 64)
        #expect(Self.parse("OPTIONS * RTSP/1.0\r\n\(fields)\r\n").0.count == 1)
        #expect(Self.parse("OPTIONS * RTSP/1.0\r\n\(fields)A: b\r\n").1?.fault == .tooManyHeaders)
    }

    @Test func corruptedMessagesNeverTrapAndAllSplitsAgree() {
        let whole = Self.messages.flatMap(Self.bytes)
        for seed in 0..<400 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let bytes = Corruption.damaged(whole, using: &random)
            let splits = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            let (elements, error) = Self.parse(bytes)
            let (splitElements, splitError) = Self.parse(bytes, splits: splits)
            #expect(elements == splitElements && error == splitError, "seed \(seed)")
        }
    }

    /// Fuzzing found that invalid UTF-8 grew threefold and then exceeded the limit.
    @Test func invalidUTF8IsReplacedWithoutGrowing() {
        let odd = [UInt8](repeating: 0xA1, count: 1500)
        let (requests, error) = Self.parse(Array("DESCRIBE rtsp://h/".utf8) + odd + Array(" RTSP/1.0\r\n".utf8))
        #expect(requests.isEmpty)
        #expect(error?.status == .badRequest)

        let response = Array("RTSP/1.0 200 ".utf8) + odd + Array("\r\nX: ".utf8) + odd + Array("\r\n\r\n".utf8)
        let (responses, _) = Self.parse(response)
        let marks = String(repeating: "?", count: odd.count)
        #expect(responses == [.response(Response(.ok, reason: marks, headers: ["X": marks]))])

        let typed = Request(.describe, "rtsp://h/küche")
        #expect(Self.parse(Writer.bytes(of: typed)).0 == [.request(typed)])
    }

    @Test func theWriterPercentEncodesBlanksInURLs() {
        let bytes = Writer.bytes(of: Request(.setUp, "rtsp://h/a b\r\n\u{7F}/ü"))
        #expect(String(decoding: bytes, as: UTF8.self) == "SETUP rtsp://h/a%20b%0D%0A%7F/ü RTSP/1.0\r\n\r\n")
    }

    @Test func theWriterReplacesLineBreaks() {
        let bytes = Writer.bytes(of: Response(.ok, reason: "a\r\nb", headers: ["X": "c\r\nd: e", "Y": " "]))
        #expect(String(decoding: bytes, as: UTF8.self) == "RTSP/1.0 200 a  b\r\nX: c  d: e\r\n\r\n")
    }

    @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
    func responsesOfCamerasAreRead() {
        let replies = SharedData.files(in: "rtsp-replies").filter { !$0.hasSuffix("_sdp.txt") }
        #expect(replies.count > 30)
        for name in replies {
            guard let bytes = SharedData.bytes(name) else { continue }
            let (elements, error) = Self.parse(bytes)
            #expect(error == nil, "\(name)")
            guard case .response(let response)? = elements.first else {
                Issue.record("\(name) holds no response")
                continue
            }
            #expect(CSeq(response.headers) != nil, "\(name)")
            if let session = response.headers[.session] { #expect(SessionHeader(session) != nil, "\(name)") }
            if let transport = response.headers[.transport] { #expect(Transport.list(transport).count == 1, "\(name)") }
            if let info = response.headers[.rtpInfo] { #expect(!RTPInfo(info).entries.isEmpty, "\(name)") }
        }
    }
}
