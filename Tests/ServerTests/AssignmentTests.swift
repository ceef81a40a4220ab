import Testing

@testable import Server

/// `KEY=VALUE`, as `apus set` takes it.
struct AssignmentTests {
    private static func configuration() throws -> Configuration {
        try Configuration(
            yaml: "paths: { cam: { source: /dev/video77, camera: { controls: { gain: 1 } } }, yard: {} }",
            file: "apus.yml")
    }

    @Test func eachKindOfValueIsReadAsInTheFile() throws {
        let table: [(String, (Configuration.Path) -> Bool)] = [
            ("video.bitsPerSecond=4000000", { $0.video.bitrate == 4_000_000 }),
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
        ("ti\u{1B}tle={ a: 1", "ti\\u{1b}tle: no YAML: did not find expected ',' or '}'"),
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

    @Test func theSettingsOfACameraAreRefusedOnOtherSources() throws {
        func reasons(_ assignments: [String], _ name: String) throws -> [String]? {
            let failure = #expect(throws: SettingFailure.self) {
                try Self.configuration().setting(assignments, of: name)
            }
            return failure?.reasons
        }
        let reason = "the source is testcard, which is not a camera: there is nothing to adjust"
        #expect(
            try reasons(["camera.controls.brightness=128", "camera.format=YUYV"], "yard")
                == ["camera.format: \(reason)", "camera.controls.brightness: \(reason)"])
        #expect(
            try reasons(["source=\(#filePath)", "camera.format=YUYV"], "cam")
                == ["camera.format: the source is a file: there is nothing to adjust"])
        // What is left of a camera that was there before, and may come back.
        #expect(try Self.configuration().setting(["source=testcard"], of: "cam").paths["cam"]?.source == .testCard)
    }

    private static let masked = "title: A, effects: { privacyMasks: [[0, 0, 64, 720], [5%, 0%, 10%, 100%]] }"

    @Test(arguments: [
        ("video.width=640", "video.width"), ("video.height=360", "video.height"),
        ("video={ width: 640, height: 360 }", "video.width"),
    ])
    func aSizeDoesNotChangeUnderMasksInPixels(_ assignment: String, _ option: String) throws {
        let configuration = try Configuration(yaml: "paths: { cam: { \(Self.masked) } }", file: "apus.yml")
        let failure = #expect(throws: SettingFailure.self) { try configuration.setting([assignment], of: "cam") }
        #expect(
            failure?.reasons == [
                "\(option): the privacy masks are in pixels of 1280x720 and would move off what they hide; set "
                    + "effects.privacyMasks together with it, or in percent before"
            ])
    }

    @Test func aSizeChangesWithItsMasksOrUnderMasksInPercent() throws {
        let configuration = try Configuration(yaml: "paths: { cam: { \(Self.masked) }, yard: {} }", file: "apus.yml")
        for masks in [
            // As before, on purpose, or those of the new size.
            "effects.privacyMasks=[[0, 0, 64, 720]]", "effects={ privacyMasks: [[0, 0, 32, 360]] }",
            "effects.privacyMasks=[]",
        ] {
            for order in [[masks, "video.width=640"], ["video.width=640", masks]] {
                let path = try #require(configuration.setting(order, of: "cam").paths["cam"])
                #expect(path.video.width == 640, "\(order)")
            }
        }
        let inPercent = try configuration.setting(["effects.privacyMasks=[[5%, 0%, 10%, 100%]]"], of: "cam")
        #expect(try inPercent.setting(["video.width=640"], of: "cam").paths["cam"]?.video.width == 640)
        // All else, the same size, and other paths.
        let others = ["video={ width: 1280, framesPerSecond: 15 }", "effects.mirror=true"]
        #expect(try configuration.setting(others, of: "cam").paths["cam"]?.video.frameRate == 15)
        #expect(try configuration.setting(["video.width=640"], of: "yard").paths["yard"]?.video.width == 640)
    }

    @Test func anotherFileWhoseSizeMovesTheMasksIsToldOf() throws {
        func configuration(_ size: String, _ masks: String) throws -> Configuration {
            try Configuration(
                yaml: "paths: { cam: { video: { \(size) }, effects: { privacyMasks: [\(masks)] } }, yard: {} }",
                file: "apus.yml")
        }
        let (large, small) = ("width: 1280, height: 720", "width: 640, height: 360")
        let mask = "[0, 0, 64, 200]"
        let before = try configuration(large, mask)
        #expect(
            before.masksMoved(by: try configuration(small, mask)) == [
                "paths.cam.effects.privacyMasks: pixels of 640x360 from now on, which were those of 1280x720: see whether "
                    + "they hide what they should, or write them in percent"
            ])
        #expect(before.masksMoved(by: try configuration(small, "[1, 1, 8, 8], \(mask)")).count == 1)
        #expect(before.masksMoved(by: try configuration(large, mask)).isEmpty)
        #expect(before.masksMoved(by: try configuration(small, "[0, 0, 32, 100]")).isEmpty)
        let inPercent = try configuration(large, "[5%, 0%, 10%, 100%]")
        #expect(inPercent.masksMoved(by: try configuration(small, "[5%, 0%, 10%, 100%]")).isEmpty)
    }

    @Test func whatWasContradictoryBeforeIsNotTheCallersFault() throws {
        var configuration = try Self.configuration()
        // As `apus serve --loops` may have it.
        configuration.loops.threads = 256
        #expect(!configuration.contradictions.isEmpty)
        #expect(try configuration.setting(["title=x"], of: "cam").paths["cam"]?.title == "x")
    }
}
