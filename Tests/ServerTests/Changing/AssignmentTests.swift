import Testing

@testable import Server

/// `KEY=VALUE` in the syntax of `apus set`.
struct AssignmentTests {
    private static func configuration() throws -> Configuration {
        try Configuration(
            yaml: "paths: { cam: { source: /dev/video77, camera: { controls: { gain: 1 } } }, yard: {} }",
            file: "apus.yml")
    }

    @Test func eachKindOfValueIsReadAsInAFile() throws {
        let table: [(String, (Configuration.Path) -> Bool)] = [
            ("video.bitrate=4000000", { $0.video.bitrate == 4_000_000 }),
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

    @Test func severalOptionsAreSetTogetherAndOthersDoNotChange() throws {
        let before = try Self.configuration()
        let after = try before.setting(["video.width=640", "video.height=360", "video.width=320"], of: "cam")
        var expected = before
        expected.paths["cam"]?.video.width = 320
        expected.paths["cam"]?.video.height = 360
        #expect(after == expected)
    }

    @Test func patternsOfPathsStayWhenAPathChanges() throws {
        let before = try Configuration(
            yaml: "paths: { cam: {}, 'live/*': { source: publish } }", file: "apus.yml")
        let after = try before.setting(["title=Yard"], of: "cam")
        #expect(after.publishPatterns.map(\.pattern.description) == ["live/*"])
        #expect(after.paths["live/*"] == before.paths["live/*"])
        #expect(throws: SettingFailure.self) { try before.setting(["title=Yard"], of: "live/*") }
    }

    @Test(arguments: [
        ("video.bitrtae=1", "video.bitrtae: no such option; did you mean `bitrate`?"),
        ("vidoe.width=1", "vidoe: no such option; did you mean `video`?"),
        (
            "video.bitrate=fast",
            "video.bitrate: expects a whole number from 10000 to 200000000 (bits per second), such as 4M, 500k or 4000000, not `fast`"
        ),
        ("video.width=641", "paths.cam.video.width: must be even, and 641 is odd"),
        ("video.width.more=1", "video.width: expects a whole number from 16 to 8192 (pixels, even), not options"),
        ("title={ a: 1 }", "title: expects one line of text, at most 200 bytes, not options"),
        ("title=null", "title: expects one line of text, at most 200 bytes, not null"),
        ("video", "video: write KEY=VALUE without spaces, such as video.bitrate=4M"),
        (
            "a.b.c.d.e.f.g.h.i=1",
            "a.b.c.d.e.f.g.h.i=1: write KEY=VALUE without spaces, such as video.bitrate=4M"
        ),
        ("video={ width: 640", "video: not valid YAML: did not find expected ',' or '}'"),
        ("video={ width: &a 640 }", "video.width: anchors and aliases are not supported: write the value out"),
        ("ti\u{1B}tle={ a: 1", "ti\\u{1b}tle: not valid YAML: did not find expected ',' or '}'"),
        ("title=a\u{1B}b", "title: expects one line of text, at most 200 bytes, not `a\\u{1b}b`"),
    ])
    func aMistakeIsReportedAndNothingIsSet(_ text: String, _ reason: String) throws {
        let failure = #expect(throws: SettingFailure.self) {
            try Self.configuration().setting(["video.height=360", text], of: "cam")
        }
        #expect(failure?.reasons == [reason])
    }

    @Test(arguments: [
        (["title", "Yard"], ["title Yard: write title=Yard, without spaces"]),
        (
            ["video.width", "640", "title=a", "x"],
            [
                "video.width 640: write video.width=640, without spaces",
                "x: write KEY=VALUE without spaces, such as video.bitrate=4M",
            ]
        ),
    ])
    func aKeyAndAValueWithoutEqualsSignAreOneMistake(_ assignments: [String], _ reasons: [String]) throws {
        let failure = #expect(throws: SettingFailure.self) { try Self.configuration().setting(assignments, of: "cam") }
        #expect(failure?.reasons == reasons)
    }

    @Test func anUnknownPathIsReportedWithTheExistingPaths() throws {
        let failure = #expect(throws: SettingFailure.self) {
            try Self.configuration().setting(["title=x"], of: "yrad")
        }
        #expect(failure?.reasons == ["there is no path /yrad; did you mean /yard? The server has /cam, /yard"])
    }

    @Test func optionsOfTheDefaultTestCardCanBeSet() throws {
        let after = try Configuration().setting(["title=x"], of: "cam")
        #expect(after.paths["cam"]?.title == "x")
    }

    @Test func cameraSettingsAreRefusedForOtherSources() throws {
        func reasons(_ assignments: [String], _ name: String) throws -> [String]? {
            let failure = #expect(throws: SettingFailure.self) {
                try Self.configuration().setting(assignments, of: name)
            }
            return failure?.reasons
        }
        let reason = "the source is testcard, which is not a camera, so it has no camera settings"
        #expect(
            try reasons(["camera.controls.brightness=128", "camera.format=YUYV"], "yard")
                == ["camera.format: \(reason)", "camera.controls.brightness: \(reason)"])
        #expect(
            try reasons(["source=\(#filePath)", "camera.format=YUYV"], "cam")
                == ["camera.format: the source is a file, not a camera, so it has no camera settings"])
        // Settings of a former camera are kept, because it may come back.
        #expect(try Self.configuration().setting(["source=testcard"], of: "cam").paths["cam"]?.source == .testCard)
    }

    private static let masked = "title: A, effects: { privacyMasks: [[0, 0, 64, 720], [5%, 0%, 10%, 100%]] }"

    @Test(arguments: [
        ("video.width=640", "video.width"), ("video.height=360", "video.height"),
        ("video={ width: 640, height: 360 }", "video.width"),
    ])
    func theSizeCannotChangeWithoutMasksInPixels(_ assignment: String, _ option: String) throws {
        let configuration = try Configuration(yaml: "paths: { cam: { \(Self.masked) } }", file: "apus.yml")
        let failure = #expect(throws: SettingFailure.self) { try configuration.setting([assignment], of: "cam") }
        #expect(
            failure?.reasons == [
                "\(option): the privacy masks are in pixels of 1280x720 and would no longer cover what they hide; set "
                    + "effects.privacyMasks in the same command, or change the masks to percent first"
            ])
    }

    @Test func theSizeCanChangeWithItsMasksOrWithMasksInPercent() throws {
        let configuration = try Configuration(yaml: "paths: { cam: { \(Self.masked) }, yard: {} }", file: "apus.yml")
        for masks in [
            // The same masks, explicitly, or masks for the new size.
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
        // Other options, the same size, and other paths.
        let others = ["video={ width: 1280, frameRate: 15 }", "effects.mirror=true"]
        #expect(try configuration.setting(others, of: "cam").paths["cam"]?.video.frameRate == 15)
        #expect(try configuration.setting(["video.width=640"], of: "yard").paths["yard"]?.video.width == 640)
    }

    @Test func aReloadedFileWhoseSizeMovesTheMasksCausesAWarning() throws {
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
                "paths.cam.effects.privacyMasks: the size has changed from 1280x720 to 640x360, and the masks are in pixels; "
                    + "check that they still cover what they hide, or write them in percent"
            ])
        #expect(before.masksMoved(by: try configuration(small, "[1, 1, 8, 8], \(mask)")).count == 1)
        #expect(before.masksMoved(by: try configuration(large, mask)).isEmpty)
        #expect(before.masksMoved(by: try configuration(small, "[0, 0, 32, 100]")).isEmpty)
        let inPercent = try configuration(large, "[5%, 0%, 10%, 100%]")
        #expect(inPercent.masksMoved(by: try configuration(small, "[5%, 0%, 10%, 100%]")).isEmpty)
    }

    @Test func contradictionsThatExistedBeforeAreNotReported() throws {
        var configuration = try Self.configuration()
        // Possible with `apus serve --loops`.
        configuration.loops.threads = 256
        #expect(!configuration.contradictions.isEmpty)
        #expect(try configuration.setting(["title=x"], of: "cam").paths["cam"]?.title == "x")
    }
}
