import RTSP
import Testing

@testable import Server

struct SourceArgumentTests {
    @Test(arguments: [
        (["testcard"], ["cam": SourceSpecification.testCard]),
        (["-"], ["cam": .standardInput]),
        (["/srv/film.mp4"], ["cam": .path("/srv/film.mp4")]),
        (["door=/dev/video0"], ["door": .path("/dev/video0")]),
        (["door=-"], ["door": .standardInput]),
        (["./a=b.mp4"], ["cam": .path("./a=b.mp4")]),
        (["film=a=b.mp4"], ["film": .path("a=b.mp4")]),
        (["one/a.mp4", "b.tar.gz"], ["a": .path("one/a.mp4"), "b.tar": .path("b.tar.gz")]),
        (["testcard", "my film.mp4"], ["testcard": .testCard, "my-film": .path("my film.mp4")]),
        (["testcard", "x=testcard"], ["testcard": .testCard, "x": .testCard]),
        (["a.mp4", "/tmp/.hidden"], ["a": .path("a.mp4"), ".hidden": .path("/tmp/.hidden")]),
        (["rtsp://h/live/yard?token=a"], ["cam": .rtsp("rtsp://h/live/yard?token=a")]),
        (
            ["door=RTSP://ann:x@h:8554/a", "rtsp://h/live/yard"],
            [
                "door": .rtsp("RTSP://ann:x@h:8554/a"), "yard": .rtsp("rtsp://h/live/yard"),
            ]
        ),
        (["a.mp4", "..."], ["a": .path("a.mp4"), "stream": .path("...")]),
    ])
    func argumentsBecomePaths(_ arguments: [String], _ expected: [String: SourceSpecification]) throws {
        let parsed = try arguments.map(SourceArgument.init)
        #expect(try SourceArgument.paths(parsed).mapValues(\.source) == expected)
    }

    @Test func otherSettingsOfTheModelAreKept() throws {
        var model = Configuration.Path()
        model.video.width = 640
        let paths = try SourceArgument.paths([SourceArgument("film.mp4")], like: model)
        #expect(paths["cam"]?.video.width == 640)
        #expect(paths["cam"]?.source == .path("film.mp4"))
    }

    @Test(arguments: [
        ("", "`` is not a source; write testcard, a file, a device, an rtsp:// URL, or -"),
        ("cam=", "`cam=` is not a source; write testcard, a file, a device, an rtsp:// URL, or -"),
        ("=x", "`` in `=x` cannot be the name of a stream; use letters, digits, `-`, `_` and `.`"),
        (
            "a b=rtsp://ann:secret@h/a",
            "`a b` in `a b=rtsp://h/a` cannot be the name of a stream; use letters, digits, `-`, `_` and `.`"
        ),
        ("a b=x", "`a b` in `a b=x` cannot be the name of a stream; use letters, digits, `-`, `_` and `.`"),
        ("..=x", "`..` in `..=x` cannot be the name of a stream; use letters, digits, `-`, `_` and `.`"),
    ])
    func invalidArgumentsAreRefused(_ argument: String, _ message: String) {
        let refusal = #expect(throws: SourceArgument.Refusal.self) { try SourceArgument(argument) }
        #expect(refusal?.description == message)
    }

    @Test(arguments: [
        (["a/x.mp4", "b/x.mp4"], "two sources have the name /x; give one another name, such as other=b/x.mp4"),
        (["a=-", "b=-"], "standard input can be the source of one stream only, but - is given twice"),
    ])
    func conflictingSourcesAreRefused(_ arguments: [String], _ message: String) throws {
        let parsed = try arguments.map(SourceArgument.init)
        let refusal = #expect(throws: SourceArgument.Refusal.self) { try SourceArgument.paths(parsed) }
        #expect(refusal?.description == message)
    }
}

extension SourceSpecification {
    /// A pulled stream.
    fileprivate static func rtsp(_ text: String) -> Self {
        guard let url = RequestURL(text) else { preconditionFailure("a test uses valid URLs") }
        return .pulled(url, text: text)
    }
}

struct MulticastGroupTests {
    @Test(arguments: ["224.0.0.0", "239.255.42.1", "239.255.255.255"])
    func groupsSurviveReadingAndWriting(_ text: String) {
        #expect(MulticastGroup(text)?.description == text)
    }

    @Test(arguments: [
        "", "223.0.0.1", "240.0.0.0", "239.1.1", "239.1.1.256", "239.1.1.1.1", "239..1.1", "+239.1.1.1", "ff02::1",
    ])
    func invalidGroupsAreRefused(_ text: String) {
        #expect(MulticastGroup(text) == nil)
    }

    @Test func groupsEndAtTheLast() throws {
        let last = try #require(MulticastGroup("239.255.255.255"))
        #expect(last.advanced(by: 1) == nil)
        #expect(last.advanced(by: -1) == nil)
        #expect(try #require(MulticastGroup("239.0.0.255")).advanced(by: 1)?.description == "239.0.1.0")
    }
}
