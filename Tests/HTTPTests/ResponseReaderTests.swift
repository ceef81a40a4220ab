import Testing

@testable import HTTP

/// What a client reads of a server's response.
struct ResponseReaderTests {
    private typealias Outcome = Result<ReceivedResponse?, ResponseFailure>

    private static func response(in pieces: [[UInt8]], _ limits: ResponseReader.Limits) -> Outcome {
        Result { () throws(ResponseFailure) in
            var reader = ResponseReader(limits: limits)
            for piece in pieces { if let response = try reader.received(piece) { return response } }
            return nil
        }
    }

    /// The outcome for every split into two pieces, for single bytes, and for the whole; all must agree.
    private static func outcome(of text: String, _ limits: ResponseReader.Limits = .init()) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = response(in: [bytes], limits)
        for split in 1..<max(2, bytes.count) {
            #expect(
                response(in: [Array(bytes[..<split]), Array(bytes[split...])], limits) == whole, "split at \(split)")
        }
        #expect(response(in: bytes.map { [$0] }, limits) == whole)
        return whole
    }

    private static func body(_ text: String) throws -> String? {
        try outcome(of: text).get().map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func aBodyEndsWhereItsHeadSays() throws {
        let head = "HTTP/1.1 201 Created\r\nLocation:  /x/1 \r\netag: \"5\"\r\n"
        let response = try #require(try Self.outcome(of: head + "Content-Length: 5\r\n\r\nv=0\r\n behind").get())
        #expect(response.status == 201 && response.statusLine == "201 Created")
        #expect(response.value(of: "location") == "/x/1" && response.values(of: "ETag") == ["\"5\""])
        #expect(String(decoding: response.body, as: UTF8.self) == "v=0\r\n")
        #expect(try Self.body("HTTP/1.0 200\nContent-Length: 2\n\nab") == "ab")
        #expect(try Self.body("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == "")
        #expect(try Self.body("HTTP/1.1 204 No Content\r\n\r\n") == "")
        #expect(try Self.body("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab") == nil)
    }

    /// Proxies join equal headers, or repeat them.
    @Test(arguments: [
        "Content-Length: 2\r\nContent-Length: 2", "content-length: 2, 2",
        "Content-Length: 2\r\nX: y\r\nContent-Length: 02",
    ])
    func aLengthMayBeRepeated(_ headers: String) throws {
        #expect(try Self.body("HTTP/1.1 200 OK\r\n\(headers)\r\n\r\nab behind") == "ab")
    }

    @Test func chunksAreJoined() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        #expect(try Self.body(head + "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nX: y\r\n\r\n") == "abc0123456789")
        #expect(try Self.body(head + "0\r\n\r\n") == "")
        #expect(try Self.body(head + "3\r\nabc\r\n") == nil)
    }

    @Test func informationBeforeTheResponseIsSkipped() throws {
        let text = "HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        let response = try #require(try Self.outcome(of: text).get())
        #expect(response.status == 200 && response.value(of: "X") == nil && response.body == [UInt8(ascii: "a")])
    }

    @Test func theEndOfTheConnectionEndsABodyWithoutALength() throws {
        var reader = ResponseReader()
        #expect(throws: ResponseFailure.incomplete) { try reader.receivedEnd() }
        #expect(try reader.received(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)) == nil)
        #expect(try reader.receivedEnd().body == Array("abc".utf8))
    }

    @Test(arguments: [
        ("X: y", true), ("Connection: keep-alive", true), ("Connection: close", false),
        ("Connection: upgrade , Close", false), ("Connection: x\r\nConnection: close", false),
    ])
    func aServerMayCloseTheConnection(_ headers: String, _ persists: Bool) throws {
        let text = "HTTP/1.1 200 OK\r\n\(headers)\r\nContent-Length: 0\r\n\r\n"
        #expect(try #require(try Self.outcome(of: text).get()).persists == persists)
    }

    @Test(arguments: [
        ("RTSP/1.0 200 OK\r\n", ResponseFailure.malformedStatusLine), ("HTTP/1.1 2000 OK\r\n", .malformedStatusLine),
        ("HTTP/1.1 x00 OK\r\n", .malformedStatusLine), ("HTTP/2 200\r\n", .malformedStatusLine),
        ("HTTP/1.1 200 OK\r\nno colon\r\n", .malformedHeader), ("HTTP/1.1 200 OK\r\n a: b\r\n", .malformedHeader),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformedLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformedLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n", .malformedLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2,\r\n\r\n", .malformedLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .malformedLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\n", .severalLengths),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\n", .severalLengths),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .unsupportedTransferCoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .malformedChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n", .malformedChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", .malformedChunk),
    ])
    func aMalformedResponseIsRefused(_ text: String, _ failure: ResponseFailure) {
        #expect(Self.outcome(of: text) == .failure(failure))
    }

    @Test func headAndBodyAreBounded() {
        var limits = ResponseReader.Limits()
        (limits.headByteCount, limits.bodyByteCount) = (100, 10)
        let head = "HTTP/1.1 200 OK\r\n"
        let endless = head + "A: " + String(repeating: "a", count: 100)
        #expect(Self.outcome(of: endless, limits) == .failure(.headTooLong(limit: 100)))
        #expect(Self.outcome(of: head + "Content-Length: 11\r\n\r\n", limits) == .failure(.bodyTooLong(limit: 10)))
        #expect(
            Self.outcome(of: head + "\r\n" + String(repeating: "a", count: 11), limits)
                == .failure(.bodyTooLong(limit: 10)))
        let chunks = head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "6\r\nabcdef\r\n", count: 2)
        #expect(Self.outcome(of: chunks, limits) == .failure(.bodyTooLong(limit: 10)))
    }

    @Test(arguments: ["Content-Length: 11\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\nB\r\n"])
    func theHeadIsKnownIfTheBodyIsTooLong(_ rest: String) {
        var limits = ResponseReader.Limits()
        limits.bodyByteCount = 10
        var reader = ResponseReader(limits: limits)
        let text = "HTTP/1.1 404 Not Found\r\nX: y\r\n\(rest)" + String(repeating: "a", count: 11)
        #expect(throws: ResponseFailure.bodyTooLong(limit: 10)) { try reader.received(Array(text.utf8)) }
        #expect(reader.response.statusLine == "404 Not Found" && reader.response.value(of: "X") == "y")
        #expect(reader.response.body.count <= 10)
    }
}
