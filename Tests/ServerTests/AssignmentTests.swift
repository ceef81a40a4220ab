import Testing

@testable import Server

/// `KEY=VALUE`, as `apus set` takes it.
struct AssignmentTests {
    private static func configuration() throws -> Configuration {
        try Configuration(yaml: "paths: { cam: { camera: { controls: { gain: 1 } } }, yard: {} }", file: "apus.yml")
    }

    @Test func eachKindOfValueIsReadAsInTheFile() throws {
        let table: [(String, (Configuration.Path) -> Bool)] = [
            ("video.bitsPerSecond=4000000", { $0.video.bitsPerSecond == 4_000_000 }),
            ("video={ width: 640, height: 360 }", { ($0.video.width, $0.video.height) == (640, 360) }),
            ("video.intraRefresh=yes", { $0.video.intraRefresh }),
            ("title=The yard: north #1", { $0.title == "The yard: north #1" }),
            ("title=\"a = b\"", { $0.title == "a = b" }),
            ("title=", { $0.title.isEmpty }),
            ("join=keyframe", { $0.join == .keyframe }),
            ("join=null", { $0.join == nil }),
            ("source=/srv/film.mp4", { $0.source == .path("/srv/film.mp4") }),
            ("source=-", { $0.source == .standardInput }),
            ("camera.controls.brightness=128", { $0.camera.controls == ["gain": "1", "brightness": "128"] }),
            ("camera.controls.power_line_frequency=50 Hz", { $0.camera.controls["power_line_frequency"] == "50 Hz" }),
            ("camera.controls={ gain: 3 }", { $0.camera.controls == ["gain": "3"] }),
        ]
        for (text, holds) in table {
            let path = try #require(Self.configuration().setting([text], of: "cam").paths["cam"])
            #expect(holds(path), "\(text)")
        }
    }

    @Test func severalAreSetTogetherAndTheRestStays() throws {
        let before = try Self.configuration()
        let after = try before.setting(["video.width=640", "video.height=360", "video.width=320"], of: "cam")
        var expected = before
        expected.paths["cam"]?.video.width = 320
        expected.paths["cam"]?.video.height = 360
        #expect(after == expected)
    }

    @Test(arguments: [
        ("video.bitsPerSecnd=1", "video.bitsPerSecnd: no such option; the nearest is `bitsPerSecond`"),
        ("vidoe.width=1", "vidoe: no such option; the nearest is `video`"),
        (
            "video.bitsPerSecond=fast",
            "video.bitsPerSecond: expects a whole number from 10000 to 200000000 (bits per second), not `fast`"
        ),
        ("video.width=641", "paths.cam.video.width: must be even, and 641 is odd"),
        ("video.width.more=1", "video.width: expects a whole number from 16 to 8192 (pixels, even), not options"),
        ("title={ a: 1 }", "title: expects one line of text, at most 200 bytes, not options"),
        ("title=null", "title: expects one line of text, at most 200 bytes, not null"),
        ("video", "video: is no KEY=VALUE"),
        ("a.b.c.d.e.f.g.h.i=1", "a.b.c.d.e.f.g.h.i=1: is no KEY=VALUE"),
        ("video={ width: 640", "video: no YAML: did not find expected ',' or '}'"),
        ("video={ width: &a 640 }", "video.width: anchors and aliases are not supported: write the value out"),
        ("title=a\u{1B}b", "title: expects one line of text, at most 200 bytes, not `a\\u{1b}b`"),
    ])
    func whatIsWrongIsNamedAndNothingIsSet(_ text: String, _ reason: String) throws {
        let failure = #expect(throws: SettingFailure.self) {
            try Self.configuration().setting(["video.height=360", text], of: "cam")
        }
        #expect(failure?.reasons == [reason])
    }

    @Test func aPathThatIsNotServedIsNamedWithThoseThatAre() throws {
        let failure = #expect(throws: SettingFailure.self) {
            try Self.configuration().setting(["title=x"], of: "yrad")
        }
        #expect(failure?.reasons == ["/yrad is not served here; the nearest is /yard; there are /cam, /yard"])
    }

    @Test func theTestCardOfAnEmptyConfigurationCanBeSetToo() throws {
        let after = try Configuration().setting(["title=x"], of: "cam")
        #expect(after.paths["cam"]?.title == "x")
    }

    @Test func whatWasContradictoryBeforeIsNotTheCallersFault() throws {
        var configuration = try Self.configuration()
        // As `apus serve --loops` may have it.
        configuration.loops.threads = 256
        #expect(!configuration.contradictions.isEmpty)
        #expect(try configuration.setting(["title=x"], of: "cam").paths["cam"]?.title == "x")
    }
}
