import TestSupport
import Testing

@testable import HTTP

/// Where requests end, and which are refused.
struct RequestFramingTests {
    private typealias Outcome = Result<[Int], RequestFailure>

    /// The lengths of the requests in the concatenation of `pieces`.
    private static func lengths(of pieces: [[UInt8]], _ limits: RequestFraming.Limits = .init()) -> Outcome {
        Result { () throws(RequestFailure) in
            var (framing, lengths, count) = (RequestFraming(limits: limits), [Int](), 0)
            for piece in pieces {
                var rest = piece[...]
                while !rest.isEmpty {
                    let taken = try framing.received(rest)
                    count += taken
                    rest = rest.dropFirst(taken)
                    guard framing.isComplete else { continue }
                    lengths.append(count)
                    framing.begin()
                    count = 0
                }
            }
            return lengths
        }
    }

    /// The outcome for every split into two pieces, for single bytes, and for the whole; all must agree.
    private static func outcome(of text: String, _ limits: RequestFraming.Limits = .init()) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = lengths(of: [bytes], limits)
        for split in 1..<max(2, bytes.count) {
            #expect(
                lengths(of: [Array(bytes[..<split]), Array(bytes[split...])], limits) == whole, "split at \(split)")
        }
        #expect(lengths(of: bytes.map { [$0] }, limits) == whole)
        return whole
    }

    @Test func requestsEndBehindTheirBodies() {
        let get = "GET /cam/index.mp4?audio=0 HTTP/1.1\r\nHost: h\r\nAccept:\t*/*\r\nX-Empty:\r\n\r\n"
        let post = "POST /api HTTP/1.1\r\nhost:h\r\ncontent-LENGTH:  5 \r\n\r\nhello"
        let old = "GET / HTTP/1.0\r\n\r\n"
        let none = "DELETE /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
        for text in [get, post, old, none] { #expect(Self.outcome(of: text) == .success([text.utf8.count])) }
        #expect(
            Self.outcome(of: get + post + none + old) == .success([get, post, none, old].map(\.utf8.count)))
        #expect(Self.outcome(of: String(get.dropLast())) == .success([]))
        #expect(Self.outcome(of: String(post.dropLast())) == .success([]))
    }

    private static func get(_ headers: String) -> String { "POST / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n" }

    static let refused: [(String, RequestFailure)] = [
        ("GET / HTTP/1.1\nHost: h\n\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\n\r\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\r\n\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", .bareCarriageReturn),
        ("GET / HTTP/1.1\r\r\nHost: h\r\n\r\n", .bareCarriageReturn),
        (get("Content-Length: 5\r\nContent-Length: 5\r\n"), .ambiguousLength),
        (get("Content-Length: 5\r\nContent-Length: 6\r\n"), .ambiguousLength),
        (get("Content-Length: 5, 5\r\n"), .ambiguousLength),
        (get("Content-Length: +5\r\n"), .ambiguousLength),
        (get("Content-Length: 0x5\r\n"), .ambiguousLength),
        (get("Content-Length: \r\n"), .ambiguousLength),
        (get("Content-Length: 9999999999999999999\r\n"), .ambiguousLength),
        (get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), .ambiguousLength),
        (get("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), .ambiguousLength),
        (get("Transfer-Encoding: gzip, chunked\r\n"), .unsupportedTransferCoding),
        (get("Transfer-Encoding: xchunked\r\n"), .unsupportedTransferCoding),
        (get("Transfer-Encoding: identity\r\n"), .unsupportedTransferCoding),
        (get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), .unsupportedTransferCoding),
        (get("Transfer-Encoding: chunked\r\n"), .chunkedBody),
        (get("Transfer-Encoding : chunked\r\n"), .malformedHeader),
        (get("Transfer-Encoding\u{0B}: chunked\r\n"), .malformedHeader),
        (get(" Transfer-Encoding: chunked\r\n"), .malformedHeader),
        (get("X: a\r\n b\r\n"), .malformedHeader),
        (get("X: a\0b\r\n"), .malformedHeader),
        (get("X\r\n"), .malformedHeader),
        (get(": y\r\n"), .malformedHeader),
        ("GET / HTTP/1.1\r\n\r\n", .hostCount),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .hostCount),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .hostCount),
        ("GET /\r\n\r\n", .malformedRequestLine),
        ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        (" GET / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("GET /ü HTTP/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("GET / http/1.1\r\nHost: h\r\n\r\n", .malformedRequestLine),
        ("DESCRIBE rtsp://h/cam RTSP/1.0\r\nCSeq: 1\r\n\r\n", .malformedRequestLine),
        ("PRI * HTTP/2.0\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.2\r\nHost: h\r\n\r\n", .unsupportedVersion),
        ("\u{16}\u{03}\u{01}\r\n", .malformedRequestLine),
        (get("Content-Length: 65537\r\n"), .bodyTooLong(limit: 65_536)),
    ]

    @Test(arguments: refused)
    func whatOthersCouldReadInAnotherWayIsRefused(text: String, failure: RequestFailure) {
        #expect(Self.outcome(of: text) == .failure(failure))
    }

    @Test func limitsApplyBeforeMuchHasArrived() {
        var limits = RequestFraming.Limits()
        (limits.headByteCount, limits.headerCount, limits.targetByteCount) = (400, 4, 100)
        #expect(
            Self.outcome(of: "GET /" + String(repeating: "a", count: 100) + " HTTP/1.1\r\nHost: h\r\n\r\n", limits)
                == .failure(.targetTooLong))
        #expect(Self.outcome(of: String(repeating: "a", count: 200), limits) == .failure(.targetTooLong))
        #expect(
            Self.outcome(of: Self.get("A: b\r\nA: b\r\nA: b\r\nA: b\r\n"), limits)
                == .failure(.tooManyHeaders(limit: 4)))
        #expect(
            Self.outcome(of: Self.get("A: " + String(repeating: "b", count: 400)), limits)
                == .failure(.headTooLong(true)))
        limits.targetByteCount = 1_000
        #expect(Self.outcome(of: String(repeating: "a", count: 450), limits) == .failure(.headTooLong(false)))
    }

    @Test func statusesNameTheFailure() {
        #expect(RequestFailure.bareLineFeed.status == 400 && RequestFailure.chunkedBody.status == 411)
        #expect(RequestFailure.bodyTooLong(limit: 1).status == 413 && RequestFailure.targetTooLong.status == 414)
        #expect(RequestFailure.headTooLong(true).status == 431 && RequestFailure.headTooLong(false).status == 414)
        #expect(RequestFailure.unsupportedVersion.status == 505)
    }

    @Test func aClientThatWaitsIsNoticed() throws {
        var framing = RequestFraming()
        let head = Self.get("Expect: 100-Continue\r\nContent-Length: 3\r\n")
        #expect(try framing.received(Array(head.utf8)[...]) == head.utf8.count)
        #expect(framing.expectsContinue && framing.isInsideRequest && !framing.isComplete)
        #expect(try framing.received(Array("abcGET".utf8)[...]) == 3)
        #expect(framing.isComplete)
        framing.begin()
        #expect(!framing.expectsContinue && !framing.isInsideRequest)
    }

    @Test func corruptedRequestsAgreeForAllSplits() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<2_000 {
            var bytes = Array((Self.get("Content-Length: 5\r\nX: y\r\n") + "hello").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.insert([0x0A, 0x0D, 0x20, 0x3A].randomElement(using: &random) ?? 0, at: place)
                default: bytes.remove(at: place)
                }
            }
            let whole = Self.lengths(of: [bytes])
            #expect(Self.lengths(of: bytes.map { [$0] }) == whole)
            let split = Int.random(in: 0...bytes.count, using: &random)
            #expect(Self.lengths(of: [Array(bytes[..<split]), Array(bytes[split...])]) == whole)
        }
    }
}
