import TestSupport
import Testing

@testable import RTSP

struct RequestURLTests {
    @Test(
        arguments: [
            ("rtsp://h/cam", "/cam", nil, nil), ("RTSP://H:8554/cam/", "/cam", nil, nil), ("rtspu://h", "/", nil, nil),
            ("rtsp://h/", "/", nil, nil), ("rtsp://h//a//b/", "/a/b", nil, nil), ("rtsp://h?x=1", "/", "x=1", nil),
            ("rtsp://h/cam/track1", "/cam", nil, "track1"), ("rtsp://h/cam/track12/", "/cam", nil, "track12"),
            ("rtsp://h/track1", "/", nil, "track1"), ("rtsp://h/cam//track1", "/cam", nil, "track1"),
            ("rtsp://h/cam?x=1&y=/z", "/cam", "x=1&y=/z", nil), ("rtsp://h/cam/?x=1/", "/cam", "x=1", nil),
            ("rtsp://h/cam?x=1/track2", "/cam", "x=1", "track2"),
            ("rtsp://h/cam/?x=1/track2/", "/cam", "x=1", "track2"),
            ("rtsp://h/cam/track2?x=1", "/cam", "x=1", "track2"), ("rtsp://h/track", "/track", nil, nil),
            ("rtsp://h/a%20b/%C3%BC", "/a b/ü", nil, nil), ("rtsp://h/cam/track1x", "/cam/track1x", nil, nil),
            ("rtsp://u:p@h/cam", "/cam", nil, nil), ("rtsp://h/cam#top", "/cam", nil, nil),
        ] as [(String, String, String?, String?)])
    func pathQueryAndTrackAreParsed(text: String, path: String, query: String?, track: String?) {
        let url = RequestURL(text)
        #expect(url?.path == path)
        #expect(url?.query == query)
        #expect(url?.track == track)
    }

    @Test(
        arguments: [
            ("rtsp://[::1]:8554/cam", "[::1]", 8554), ("rtsp://[::1]/cam", "[::1]", nil),
            ("rtsp://::1:8554/cam", "::1", 8554),
            ("rtsp://10.0.0.1:/cam", "10.0.0.1", nil), ("rtsp://u:p@x@host:1/cam", "host", 1),
        ] as [(String, String, UInt16?)])
    func hostsAreKeptAsWritten(text: String, host: String, port: UInt16?) {
        #expect(RequestURL(text)?.host == host)
        #expect(RequestURL(text)?.port == port)
    }

    @Test(arguments: [
        "", "*", "/cam", "http://h/cam", "rtsp:/h/cam", "rtsp://", "rtsp:///cam", "rtsp://h:99999/cam",
        "rtsp://h:x/cam",
        "rtsp://h/%", "rtsp://h/%4", "rtsp://h/%zz", "rtsp://h/%00", "rtsp://h/%0d%0a", "rtsp://:8554/cam",
    ])
    func invalidURLsAreNil(text: String) {
        #expect(RequestURL(text) == nil)
    }

    @Test(arguments: [
        ("rtsp://u:p@Host:554/cam", "rtsp://Host:554/cam/"), ("RTSP://h/cam/", "RTSP://h/cam/"),
        ("rtsp://h", "rtsp://h/"), ("rtsp://h/a%20b", "rtsp://h/a%20b/"),
        ("rtsp://h/cam?x=1", "rtsp://h/cam/?x=1/"),
    ])
    func contentBaseIsTheRequestURLWithATrailingSlash(text: String, base: String) {
        #expect(RequestURL(text)?.base == base)
    }

    /// Clients append the control name to the base, or resolve it (RFC 3986, section 5.2).
    @Test(arguments: ["rtsp://h/cam", "rtsp://h/cam/", "rtsp://h/cam?x=1", "rtsp://h/a/b", "rtsp://h"])
    func aTrackIsFoundByEveryFormOfItsURL(text: String) throws {
        let stream = try #require(RequestURL(text))
        let beforeQuery = stream.base.prefix { $0 != "?" }
        let resolved = beforeQuery[...(beforeQuery.lastIndex(of: "/") ?? beforeQuery.startIndex)] + "track2"
        for url in [stream.url(ofTrack: "track2"), stream.base + "/track2", String(resolved)] {
            #expect(RequestURL(url)?.path == stream.path, "\(url)")
            #expect(RequestURL(url)?.track == "track2", "\(url)")
        }
    }

    @Test func corruptedURLsNeverTrap() {
        let whole = Array("rtsp://user:pass@[2001:db8::1]:8554/a%20b/cam/?x=%31&y=2/track1#f".utf8)
        for seed in 0..<3000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let text = String(decoding: Corruption.damaged(whole, using: &random), as: UTF8.self)
            guard let url = RequestURL(text) else { continue }
            #expect(RequestURL(url.base)?.wholePath == url.wholePath, "seed \(seed): \(text)")
        }
    }
}

/// Literal IPv6 addresses (RFC 3986, section 3.2.2).
struct BracketTests {
    @Test(arguments: [
        ("[::1", true), ("[::1:8554", true), ("::1", true), ("::1]", true), ("::1]:8554", true), ("h]", true),
        ("[h", true),
        ("[[::1]]", true), ("[::1]x:8554", true), ("[::1]", false), ("[::1]:8554", false),
        ("[fe80::1%25eth0]:1", false),
        ("192.0.2.1:8554", false), ("cam.example", false),
    ])
    func missingBracketsAreRefusedExceptForSATIP(authority: String, isRefused: Bool) {
        for method in [RTSP.Method.options, .describe] {
            var dialogue = Dialogue()
            let status = dialogue.ask(method, "rtsp://\(authority)/cam")?.status
            #expect(status == (isRefused ? .badRequest : .ok), "\(method.rawValue) \(authority)")
        }
    }

    @Test func satIPClientsMayOmitBrackets() {
        var dialogue = Dialogue()
        #expect(dialogue.ask(.setUp, "rtsp://::1:8554/cam", SATIPAccessTests.transport)?.status == .ok)
    }
}
