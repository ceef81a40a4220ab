import TestSupport
import Testing

@testable import HTTP

/// Paths and queries of requests.
struct RequestTargetTests {
    @Test(arguments: [
        ("/", "/"), ("/cam", "/cam"), ("/cam/", "/cam/"), ("/yard/cam/index.mp4?audio=0", "/yard/cam/index.mp4"),
        ("/c%61m", "/cam"), ("/a%20b", "/a b"), ("/%C3%BC", "/ü"), ("http://h:8888/cam?x", "/cam"),
        ("HTTPS://h", "/"), ("http://h?x=1", "/"), ("/...", "/..."), ("/a%2e", "/a."), ("/?/../", "/"),
    ])
    func pathsAreDecodedOnce(text: String, path: String) throws {
        #expect(try #require(RequestTarget(text)).path == path)
    }

    @Test(arguments: [
        "", "*", "cam", "//", "//etc/passwd", "/a//b", "/..", "/../", "/a/../b", "/./a", "/.", "/%2e%2e/", "/.%2E",
        "/a%2fb", "/a%5Cb", "/a\\b", "/%00", "/%0a", "/%7f", "/%", "/%4", "/%zz", "/%ff", "/a b", "/a#b", "ftp://h/",
        "http:///x", "http://u@h/", "/?a=%", "/?a=1&a=2", "/?%00",
    ])
    func whatCouldMeanAnotherResourceIsRefused(text: String) {
        #expect(RequestTarget(text) == nil)
    }

    /// Most paths have nothing to decode, and are read in another way than others.
    @Test func aPathIsTheSameHoweverItsLettersAreWritten() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let text =
                "/"
                + String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        "/.a~\\".randomElement(using: &generator) ?? "a"
                    })
            let encoded = text.replacing("a", with: "%61").replacing("~", with: "%7e")
            #expect(RequestTarget(text)?.path == RequestTarget(encoded)?.path, "\(text)")
        }
    }

    @Test func theAbsoluteFormNamesTheHost() throws {
        let target = try #require(RequestTarget("http://Cam.example:80/a?b=c"))
        #expect(target.authority == Authority("cam.example:80"))
        #expect(target.text == "/a?b=c" && target.query["b"] == "c")
        #expect(RequestTarget("/a")?.authority == nil)
        #expect(RequestTarget("/a/b/")?.parts == ["a", "b", ""])
        // Found by fuzzing: a combining mark behind a slash.
        #expect(RequestTarget("/a/\u{315}b/c")?.parts == ["a", "\u{315}b", "c"])
    }

    @Test func parametersAreDecoded() throws {
        let query = try #require(Query("audio=0&title=a+b%26c&flag&&empty=&=x"))
        #expect(query["audio"] == "0" && query["title"] == "a b&c")
        #expect(query["flag"] == "" && query["empty"] == "" && query[""] == "x" && query["none"] == nil)
        #expect(query.names(except: ["audio", "title", "flag", ""]) == ["empty"])
        #expect(Query("")?.parameters == [])
    }

    @Test func ambiguousQueriesAreRefused() {
        #expect(Query("a=1&a=1") == nil && Query("%61=1&a=2") == nil)
        #expect(Query("a=%0d%0a") == nil && Query("a=%f") == nil)
        let many = (0...Query.maximumCount).map { "p\($0)" }
        #expect(Query(many.joined(separator: "&")) == nil)
        #expect(Query(many.dropLast().joined(separator: "&")) != nil)
    }
}
