import Capture
import Media
import Testing

@testable import Server

/// The options of what is shown while a source is absent.
struct AbsentConfigurationTests {
    private static func path(_ text: String) throws -> Configuration.Path? {
        try Configuration(yaml: "paths: { cam: \(text), other: {} }", file: "apus.yml").paths["cam"]
    }

    @Test(arguments: [
        "h264 1280x720 high", "h264 640x360 baseline", "h265 1920x1080", "aac 44100 mono", "aac 48000 6", "opus stereo",
        "pcma 8000 mono", "pcmu 16000 2",
    ])
    func tracksAreReadAsTheyAreWritten(_ text: String) throws {
        let track = try #require(AnnouncedTrack(text))
        #expect(AnnouncedTrack(track.text) == track)
    }

    @Test(arguments: [
        "", "h264", "h264 1280", "h264 1281x720", "h264 1280x720 extended", "h264 1280x720 high high",
        "h265 1280x720 main",
        "h264 0x0", "h264 99999x2", "h264 -16x16", "aac", "aac 48000", "aac 1 stereo", "aac 48000 9", "opus 3",
        "opus 48000 2",
        "pcma 8000", "pcma 1 mono", "mp3 44100 stereo", "aac 48000 stereo extra",
    ])
    func otherTextsAreRefused(_ text: String) {
        #expect(AnnouncedTrack(text) == nil)
    }

    @Test func tracksHaveADefaultSizeAndASingleOneNeedsNoList() throws {
        let list = try Self.path("{ absent: { show: slate, tracks: [h264 1280x720, opus stereo] } }")
        #expect(list?.absent.tracks == [.h264(width: 1280, height: 720, .high), .opus(channelCount: 2)])
        let single = try Self.path("{ absent: { show: slate, tracks: h265 640x360 } }")
        #expect(single?.absent.tracks == [.h265(width: 640, height: 360)])
    }

    @Test(arguments: [
        ("{ absent: { show: slate, tracks: [h264 640x360, h265 640x360] } }", "paths.cam.absent.tracks"),
        ("{ absent: { show: slate, tracks: [h264 640x360, aac 48000 mono, opus mono] } }", "paths.cam.absent.tracks"),
        ("{ absent: { tracks: [h264 640x360] } }", "paths.cam.absent.tracks"),
        ("{ absent: { show: file } }", "paths.cam.absent.file"),
        ("{ absent: { show: slate, file: a.mp4 } }", "paths.cam.absent.file"),
        ("{ onDemand: true, fallback: other }", "paths.cam.fallback"),
        ("{ fallback: nowhere }", "paths.cam.fallback"),
        ("{ fallback: cam }", "paths.cam.fallback"),
        ("{ fallback: \"a b\" }", "paths.cam.fallback"),
    ])
    func contradictionsAreRefused(_ text: String, _ option: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try Self.path(text) }
        #expect(failure?.problems.map(\.option) == [option])
    }

    /// Also over a substream of the path itself.
    @Test(arguments: [
        ("a: { fallback: b }, b: { fallback: a }", ["paths.a.fallback", "paths.b.fallback"]),
        (
            "a: { fallback: b }, b: { fallback: c }, c: { fallback: a }",
            ["paths.a.fallback", "paths.b.fallback", "paths.c.fallback"]
        ),
        ("a: { fallback: b }, b: { source: \"stream:a\" }", ["paths.a.fallback"]),
    ])
    func loopsAreRefused(_ paths: String, _ options: [String]) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: "paths: { \(paths) }", file: "apus.yml")
        }
        #expect(failure?.problems.map(\.option) == options)
        #expect(failure?.problems.first?.message.contains("`a` → `b`") == true)
    }

    @Test func severalPathsMayShareAFallback() throws {
        let yaml = "paths: { a: { fallback: c }, b: { fallback: c }, c: { fallback: /d }, d: {} }"
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.paths["c"]?.fallback == "d")
    }
}
