import Testing

@testable import SRT

@Suite struct URLTests {
    @Test func theParametersOfACallerAreRead() throws {
        let url = try SRTURL(
            "srt://example.net:9000?mode=caller&streamid=%23!::r=live/yard,m=publish&passphrase=a%20long%20secret&latency=200&pbkeylen=32&unknown=1"
        )
        #expect(
            url
                == SRTURL(
                    host: "example.net", port: 9_000, streamID: "#!::r=live/yard,m=publish",
                    passphrase: try SRTPassphrase("a long secret"), latencyMilliseconds: 200, keyLength: .bytes32))
    }

    @Test(arguments: [
        ("srt://192.0.2.7", "192.0.2.7", 8_890 as UInt16), ("srt://h:1?x", "h", 1), ("srt://h:1/", "h", 1),
        ("srt://[2001:db8::7]:9000", "2001:db8::7", 9_000), ("srt://[::1]", "::1", 8_890),
        ("srt://h:1?passphrase=&pbkeylen=0", "h", 1),
    ])
    func hostAndPortAreRead(text: String, host: String, port: UInt16) throws {
        #expect(try SRTURL(text) == SRTURL(host: host, port: port))
    }

    @Test(arguments: [
        ("http://h", SRTURLError.scheme), ("srt://", .authority), ("srt://h:0", .authority),
        ("srt://h:70000", .authority), ("srt://::1:90", .authority), ("srt://[::1", .authority),
        ("srt://[::1]x", .authority), ("srt://h:1/path", .authority), ("srt://ann:b@h", .authority),
        ("srt://h?mode=listener", .unsupportedMode("listener")), ("srt://h?latency=5", .value("latency", "5")),
        ("srt://h?pbkeylen=20", .value("pbkeylen", "20")), ("srt://h?passphrase=short", .passphrase(.length(5))),
        ("srt://h?streamid=%2", .value("streamid", "streamid=%2")),
        ("srt://h?streamid=" + String(repeating: "a", count: 513), .streamID(.tooLong)),
    ])
    func otherUrlsAreRefusedWithAReason(text: String, error: SRTURLError) {
        #expect(throws: error) { try SRTURL(text) }
    }

    @Test func aURLIsShownWithoutItsSecrets() throws {
        #expect(try "\(SRTURL("srt://[::1]:90?streamid=s&passphrase=0123456789"))" == "srt://[::1]:90")
    }

    @Test func passphrasesHaveTenToSeventyNineBytes() throws {
        for count in [10, 79] {
            #expect(throws: Never.self) { try SRTPassphrase(String(repeating: "a", count: count)) }
        }
        for count in [0, 9, 80] {
            #expect(throws: SRTPassphraseError.length(count)) {
                try SRTPassphrase(String(repeating: "a", count: count))
            }
        }
        #expect(throws: SRTPassphraseError.containsZero) { try SRTPassphrase("0123456789\0") }
        #expect(!"\(try SRTPassphrase("0123456789"))".contains("0123"))
    }

    @Test func rejectionsHaveSentences() {
        #expect("\(SRTRejection.notFound)" == "the server has no such stream (404)")
        #expect("\(SRTRejection(rawValue: 1418))" == "the server has rejected the connection with code 1418")
        #expect("\(SRTRejection(rawValue: 3))" == "the connection was rejected (reason 3 of libsrt)")
    }
}
