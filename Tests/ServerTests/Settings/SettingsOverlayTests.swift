import Testing

@testable import Server

/// What the settings that were changed over HTTP make of a configuration.
struct SettingsOverlayTests {
    private static func stated(_ yaml: String) throws -> (Configuration, StatedOptions) {
        var reading = Reading()
        let configuration = try Configuration(yaml: yaml, file: "apus.yml", noting: &reading)
        return (configuration, StatedOptions(reading))
    }

    private static func overlaid(_ yaml: String, _ overlay: String) throws -> (Configuration, [String]) {
        let (configuration, stated) = try stated(yaml)
        let result = try configuration.overlaid(
            by: SettingsOverlay(yaml: overlay, file: "settings.yml"), stated: stated)
        return (result.configuration, result.settings.map(\.description))
    }

    private static let value = "value: 4000000, insteadOf: 2000000"

    @Test(arguments: [
        // The configuration says what it said then.
        ("bitrate: 2M", "value: 4000000, insteadOf: 2000000", 4_000_000, "4000000, instead of 2000000"),
        ("bitrate: 2000000", "value: 4000000, insteadOf: 2000000", 4_000_000, "4000000, instead of 2000000"),
        ("width: 640", "value: 4000000", 4_000_000, "4000000, instead of 2500000"),
        // It has changed: to another value, from the default, and to the default.
        (
            "bitrate: 3M", "value: 4000000, insteadOf: 2000000", 3_000_000,
            "4000000 is not used: the configuration has changed since, and its value is 3000000"
        ),
        (
            "bitrate: 3M", "value: 4000000", 3_000_000,
            "4000000 is not used: the configuration has changed since, and its value is 3000000"
        ),
        (
            "width: 640", "value: 4000000, insteadOf: 2000000", 2_500_000,
            "4000000 is not used: the configuration has changed since, and its value is 2500000"
        ),
        // Its default is not stated by the file; now the file states it.
        (
            "bitrate: 2500000", "value: 4000000", 2_500_000,
            "4000000 is not used: the configuration has changed since, and its value is 2500000"
        ),
        // The setting was merged into the configuration.
        ("bitrate: 4M", "value: 4000000, insteadOf: 2000000", 4_000_000, "4000000, as in the configuration now"),
        // It cannot be used.
        (
            "bitrate: 2M", "value: 4, insteadOf: 2000000", 2_000_000,
            "4 is not used: expects a whole number from 10000 to 200000000 (bits per second), such as 4M, 500k or 4000000, not `4`"
        ),
        (
            "bitrate: 2M", "value: 4M, insteadOf: 2000000", 2_000_000,
            "\"4M\" is not used: expects a whole number from 10000 to 200000000 (bits per second), not the text `4M`"
        ),
    ])
    func theValueOfTheConfigurationWinsIfItHasChangedSince(
        _ video: String, _ entry: String, _ bitrate: Int, _ description: String
    ) throws {
        let (configuration, settings) = try Self.overlaid(
            "paths: { cam: { video: { \(video) } } }", "paths: { cam: { video.bitrate: { \(entry) } } }")
        #expect(configuration.paths["cam"]?.video.bitrate == bitrate)
        #expect(settings == ["paths.cam.video.bitrate: \(description)"])
    }

    @Test func aSettingOfAPathThatIsGoneWaitsForIt() throws {
        let (configuration, settings) = try Self.overlaid(
            "paths: { yard: {} }", "paths: { cam: { title: { value: Yard } } }")
        #expect(configuration.paths.keys.sorted() == ["yard"])
        #expect(settings == ["paths.cam.title: \"Yard\" is not used: there is no such path"])
    }

    @Test func withoutPathsTheTestCardHasItsSettings() throws {
        let (configuration, _) = try Self.overlaid("{}", "paths: { cam: { video.width: { value: 640 } } }")
        #expect(configuration.servedPaths["cam"]?.video.width == 640)
    }

    @Test(arguments: ["source", "effects.filters", "pull.password", "audio.enabled", "forward", "video", "no.such"])
    func optionsThatMayNotBeChangedOverHTTPAreNotTakenFromTheFile(_ key: String) throws {
        let before = try Configuration(yaml: "paths: { cam: {} }", file: "apus.yml")
        let (configuration, settings) = try Self.overlaid(
            "paths: { cam: {} }", "paths: { cam: { \(key): { value: /etc/passwd } } }")
        #expect(configuration == before)
        #expect(settings == ["paths.cam.\(key): \"/etc/passwd\" is not used: it cannot be changed over HTTP"])
    }

    @Test func aMapReplacesThatOfTheConfiguration() throws {
        let (configuration, _) = try Self.overlaid(
            "paths: { cam: { source: /dev/video77, camera: { controls: { gain: 1, hue: 2 } } } }",
            "paths: { cam: { camera.controls: { value: { gain: 5 }, insteadOf: { hue: 2, gain: 1 } } } }")
        #expect(configuration.paths["cam"]?.camera.controls == ["gain": "5"])
    }

    @Test func settingsOfAPathThatContradictEachOtherAreAllLeftOut() throws {
        let (configuration, settings) = try Self.overlaid(
            "paths: { cam: {}, yard: {} }",
            "paths: { cam: { video.width: { value: 641 }, title: { value: A } }, yard: { title: { value: B } } }")
        let (cam, yard) = try (#require(configuration.paths["cam"]), #require(configuration.paths["yard"]))
        #expect(cam == Configuration.Path() && yard.title == "B")
        #expect(
            settings == [
                "paths.cam.title: \"A\" is not used: paths.cam.video.width: must be even, and 641 is odd",
                "paths.cam.video.width: 641 is not used: paths.cam.video.width: must be even, and 641 is odd",
                "paths.yard.title: \"B\", instead of \"\"",
            ])
    }

    @Test func aSizeIsNotUsedIfItWouldMoveMasksThatTheFileHasGotSince() throws {
        let size = "video.width: { value: 640 }, video.height: { value: 360 }"
        let masks = "effects: { privacyMasks: [[0, 0, 64, 200]] }"
        let (configuration, settings) = try Self.overlaid("paths: { cam: { \(masks) } }", "paths: { cam: { \(size) } }")
        #expect(configuration.paths["cam"]?.video.width == 1280)
        #expect(settings.allSatisfy { $0.contains("would no longer cover what they hide") } && settings.count == 2)
        let confirmed = "effects.privacyMasks: { value: [[0, 0, 64, 200]], insteadOf: [[0, 0, 64, 200]] }"
        let (other, _) = try Self.overlaid("paths: { cam: { \(masks) } }", "paths: { cam: { \(size), \(confirmed) } }")
        #expect(other.paths["cam"]?.video.width == 640)
    }

    // MARK: - Text

    @Test func theTextOfAnOverlayIsReadAsTheSameOverlay() throws {
        var overlay = SettingsOverlay()
        #expect(try SettingsOverlay(yaml: overlay.text, file: "settings.yml") == overlay)
        let values: [SettingValue] = [
            .number(0), .number(-4_000_000), .flag(true), .flag(false), .text(""), .text("true"), .text("90"),
            .text("~"),
            .text("The \"yard\": \\ north\u{2028}\u{85}\u{9F}\u{FEFF}\u{7F}ü🐦"), .list([]), .map([:]),
            .list([.list([.text("5%"), .text("0%"), .text("12.5%"), .text("100%")]), .list([.number(1)])]),
            .map(["brightness": .text("128"), "power line": .text("50 Hz"), "\u{1}": .number(1)]),
        ]
        for (index, value) in values.enumerated() {
            overlay["cam/\(index % 3)", "key.\(index)"] = .init(
                value: value, insteadOf: index.isMultiple(of: 2) ? values[values.count - 1 - index] : nil)
        }
        #expect(try SettingsOverlay(yaml: overlay.text, file: "settings.yml") == overlay, "\(overlay.text)")
        #expect(overlay.text.hasPrefix("# Settings that were changed over HTTP"))
    }

    @Test(arguments: [
        ("paths: [", "settings.yml:2:1: not valid YAML: did not find expected node content"),
        ("- 1", "settings.yml:1:1: expects names with values, not a list"),
        ("users: {}", "settings.yml:1:8: users: expects `paths` only"),
        ("paths: { cam: 1 }", "settings.yml:1:15: paths.cam: expects names with values, not `1`"),
        ("paths: { cam: { title: A } }", "settings.yml:1:24: paths.cam.title: expects names with values, not `A`"),
        ("paths: { cam: { title: { insteadOf: A } } }", "settings.yml:1:24: paths.cam.title: expects a `value`"),
        (
            "paths: { cam: { title: { value: null } } }",
            "settings.yml:1:33: paths.cam.title: expects { value: …, insteadOf: … }"
        ),
        (
            "paths: { cam: { title: { value: [[[[1]]]] } } }",
            "settings.yml:1:33: paths.cam.title: expects { value: …, insteadOf: … }"
        ),
        (
            "paths: { cam: { title: { value: &a A } } }",
            "settings.yml:1:33: paths.cam.title: expects { value: …, insteadOf: … }"
        ),
    ])
    func damagedTextIsRefusedWithItsPosition(_ yaml: String, _ description: String) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try SettingsOverlay(yaml: yaml, file: "settings.yml")
        }
        #expect(failure?.description == description)
    }

    @Test func nullAndAnEmptyTextAreAnEmptyOverlay() throws {
        for text in ["", "# nothing\n", "paths:\n", "paths: {}\n", "paths: { cam: }\n"] {
            #expect(try SettingsOverlay(yaml: text, file: "settings.yml").isEmpty, "\(text)")
        }
        #expect(throws: ConfigurationFailure.self) {
            try SettingsOverlay(yaml: String(repeating: "#", count: 1_000_001), file: "settings.yml")
        }
    }
}
