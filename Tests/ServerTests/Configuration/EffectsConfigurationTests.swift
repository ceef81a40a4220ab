import Capture
import Logging
import Media
import Streams
import TestSupport
import Testing

@testable import Server

/// How effects are read from the configuration, and which of them are refused.
struct EffectsConfigurationTests {
    @Test func everyEffectIsRead() throws {
        let yaml = """
            paths:
              cam:
                title: Yard
                video: { width: 640, height: 360 }
                effects:
                  privacyMasks: [[0, 0, 64, 360], [5%, 0%, 12.5%, 100%]]
                  rotate: 90
                  mirror: true
                  blur: 3
                  filters: hqdn3d,unsharp
                  overlay: both
                  overlayCorner: bottomRight
                  overlaySize: 6
            """
        let path = try #require(try Configuration(yaml: yaml, file: "apus.yml").paths["cam"])
        let effects = path.effects
        #expect(effects.privacyMasks.map(\.description) == ["[0, 0, 64, 360]", "[5%, 0%, 12.5%, 100%]"])
        #expect(effects.rotate == .quarter)
        #expect(effects.mirror)
        #expect(effects.blur == 3)
        #expect(effects.filters == "hqdn3d,unsharp")
        #expect((effects.overlay, effects.overlayCorner, effects.overlaySize) == (.both, .bottomRight, 6))
        #expect(EncodingSettings(path).filters == effects.chain(title: "Yard", size: (640, 360)))
    }

    @Test func theMachineTimestampIsNotAFilterAndUsesTheOverlayCorner() throws {
        let yaml = "paths: { cam: { effects: { overlay: machineTimestamp, overlayCorner: bottomRight } } }"
        let path = try #require(try Configuration(yaml: yaml, file: "apus.yml").paths["cam"])
        let settings = EncodingSettings(path)
        #expect(settings.timestampOverlay == .bottomRight && settings.filters.isEmpty && settings.hasEffects)
        #expect(EncodingSettings(Configuration.Path()).timestampOverlay == nil)
    }

    @Test func aFileCannotHaveAMachineTimestamp() throws {
        let folder = try TemporaryFolder()
        try folder.write("no film", to: "film.mp4")
        var path = Configuration.Path()
        path.source = .path(folder.file("film.mp4"))
        path.effects.overlay = .timestampOverlay
        let source = makeSource(
            path, fanOut: FrameFanOut(), parent: nil, publishing: nil, pulls: PullLoops(),
            transcoding: ReceptionTranscoding(EncodingSettings(path), log: Logger(label: "test")),
            log: Logger(label: "test"))
        let stream = Streams.Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
        let failure = #expect(throws: SourceFailure.self) { try source.run(into: stream) }
        #expect(failure?.reason.contains("machineTimestamp overlay") == true)
    }

    @Test(arguments: [
        ["0", "0", "1", "1"], ["16384", "0", "16384", "16384"], ["0%", "0%", "100%", "100%"],
        ["0.001%", "99.999%", "0.5%", "0.001%"], ["33.333%", "12.25%", "66.667%", "7%"],
    ])
    func rectanglesSurviveWritingAndReading(_ texts: [String]) throws {
        let rectangle = try #require(MaskRectangle(texts))
        #expect(rectangle.description == "[\(texts.joined(separator: ", "))]")
    }

    @Test(arguments: [
        [], ["0", "0", "1"], ["0", "0", "1", "1", "1"], ["0", "0", "0", "1"], ["0", "0", "1", "0"],
        ["-1", "0", "1", "1"],
        ["0", "0", "1", "16385"], ["0.5", "0", "1", "1"], ["0", "0", "10%", "1"], ["0%", "0", "10%", "10%"],
        ["50%", "0%", "50.001%", "1%"], ["0%", "0%", "101%", "1%"], ["0%", "0%", "1.%", "1%"],
        ["0%", "0%", "1.2345%", "1%"], ["0%", "0%", "0%", "1%"], ["%", "0%", "1%", "1%"], ["", "", "", ""],
        ["a", "0", "1", "1"], ["0", "0", "99999999999999999999", "1"], ["0%", "0%", ".5%", "1%"],
        ["0%", "0%", "1.2.3%", "1%"],
    ])
    func invalidRectanglesAreRefused(_ texts: [String]) {
        #expect(MaskRectangle(texts) == nil)
    }

    @Test(arguments: wrong)
    func effectsThatCannotWorkAreReportedWithTheirPosition(_ wrong: Wrong) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: wrong.yaml, file: "apus.yml")
        }
        #expect(failure?.description == wrong.message)
    }

    /// The text of the overlay would become a part of the filter.
    @Test(arguments: [
        "drawbox=c='red", "hflip\\\\", "drawtext=text=a\\\\", "drawtext=text='it\\\\'s'",
    ])
    func incompleteFiltersAreRefused(_ filters: String) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(
                yaml: "paths: { cam: { effects: { filters: \"\(filters)\", overlay: clock } } }", file: "apus.yml")
        }
        #expect(
            failure?.problems.first?.message == "ends inside quotes or with a backslash"
                && failure?.problems.first?.option == "paths.cam.effects.filters")
    }

    @Test func filtersAreTestedWithFramesOfThePathsSize() throws {
        func yaml(_ width: Int) -> String {
            "paths: { cam: { video: { width: \(width), height: 64 }, effects: { filters: \"crop=320:32\" } } }"
        }
        #expect(try Configuration(yaml: yaml(320), file: "apus.yml").paths.count == 1)
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: yaml(160), file: "apus.yml")
        }
        #expect(failure?.problems.map(\.option) == ["paths.cam.effects.filters"])
    }
}

private let ffmpegHelp = "`ffmpeg -filters` lists the names, and `ffmpeg -h filter=NAME` the options of one"

private let wrong = [
    Wrong(
        "paths:\n  cam:\n    effects:\n      filters: hqdnn3d\n",
        "apus.yml:4:16: paths.cam.effects.filters: the filters: No such filter: 'hqdnn3d'; \(ffmpegHelp)"),
    Wrong(
        "paths:\n  cam:\n    effects:\n      filters: hflip;vflip\n      overlay: clock\n",
        "apus.yml:4:16: paths.cam.effects.filters: the filters have 2 open inputs (hflip, vflip) and 2 open outputs "
            + "(hflip, vflip), but need one of each; separate filters by commas, and connect branches by labels"),
    Wrong(
        "paths: { cam: { effects: { overlay: title } } }\n",
        "apus.yml:1:37: paths.cam.effects.overlay: shows the title, but paths.cam.title is empty"),
    Wrong(
        "paths: { cam: { video: { width: 160, height: 144 }, effects: { overlay: machineTimestamp } } }\n",
        "apus.yml:1:73: paths.cam.effects.overlay: machineTimestamp needs a frame of at least 168x144, not 160x144"),
    Wrong(
        "paths: { cam: { source: \"-\", effects: { mirror: true } } }\n",
        "apus.yml:1:39: paths.cam.effects: standard input is not decoded if it is H.264 or H.265, so it cannot have effects"
    ),
    Wrong(
        "paths: { cam: { effects: { rotate: 45 } } }\n",
        "apus.yml:1:36: paths.cam.effects.rotate: expects one of 0, 90, 180, 270 (degrees, clockwise), not `45`"),
    Wrong(
        "paths: { cam: { effects: { privacyMasks: [[0, 0, 10]] } } }\n",
        "apus.yml:1:43: paths.cam.effects.privacyMasks.1: expects left, top, width and height within the frame, all in "
            + "percent or all in pixels"),
    Wrong(
        "paths: { cam: { effects: { privacyMasks: 10% } } }\n",
        "apus.yml:1:42: paths.cam.effects.privacyMasks: expects a list of at most 32, each as [5%, 0%, 12.5%, 100%] or "
            + "[64, 0, 160, 720], not `10%`"),
    Wrong(
        "paths: { cam: { effects: { privacyMasks: [[5%, 5%, 10%, 10%], [1200, 0, 81, 10]] } } }\n",
        "apus.yml:1:63: paths.cam.effects.privacyMasks.2: exceeds the frame, which is 1280x720"),
]
