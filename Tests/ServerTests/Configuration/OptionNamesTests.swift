import TestSupport
import Testing

@testable import Server

/// Names of options: former names, abbreviations, and suggestions for names that do not exist.
struct OptionNamesTests {
    private static let present = """
        join: { mode: fastStart, fastStartMilliseconds: 200, minimumFastStartFrames: 5, maximumFastStartFrames: 50, \
        maximumFastStartBytes: 50000, totalFastStartBytes: 2000000 }
        keyframeRequests: { burst: 5 }
        paths:
          cam:
            join: fastStart
            video: { frameRate: 15, bitrate: 1.5M }
            audio: { bitrate: 96k }
            effects: { overlay: machineTimestamp }
        """

    private static let former = """
        join: { mode: prelude, preludeMilliseconds: 200, minimumPreludeFrames: 5, maximumPreludeFrames: 50, \
        maximumPreludeBytes: 50000, totalPreludeBytes: 2000000 }
        randomAccess: { burst: 5 }
        paths:
          cam:
            join: prelude
            video: { framesPerSecond: 15, bitsPerSecond: 1500000 }
            audio: { bitsPerSecond: 96000 }
            effects: { overlay: blockCode }
        """

    @Test func formerNamesStillWork() throws {
        let configuration = try Configuration(yaml: Self.former, file: "apus.yml")
        #expect(try configuration == Configuration(yaml: Self.present, file: "apus.yml"))
        #expect(configuration.paths["cam"]?.video.frameRate == 15)
    }

    @Test func theCheckNamesThePresentNameOfEachFormerOne() throws {
        let folder = try TemporaryFolder()
        func warnings(_ yaml: String) throws -> [String] {
            try folder.write(yaml, to: "apus.yml")
            let review = try ConfigurationReview(of: folder.file("apus.yml"), opensSources: false)
            #expect(review.errors.isEmpty)
            return review.warnings.map { "\($0.option): \($0.message)" }
        }
        #expect(try warnings(Self.present) == [])
        #expect(
            try warnings(Self.former) == [
                "join.mode: `prelude` is called `fastStart` now; the old name still works",
                "join.preludeMilliseconds: is called `fastStartMilliseconds` now; the old name still works",
                "join.minimumPreludeFrames: is called `minimumFastStartFrames` now; the old name still works",
                "join.maximumPreludeFrames: is called `maximumFastStartFrames` now; the old name still works",
                "join.maximumPreludeBytes: is called `maximumFastStartBytes` now; the old name still works",
                "join.totalPreludeBytes: is called `totalFastStartBytes` now; the old name still works",
                "randomAccess: is called `keyframeRequests` now; the old name still works",
                "paths.cam.join: `prelude` is called `fastStart` now; the old name still works",
                "paths.cam.video.framesPerSecond: is called `frameRate` now; the old name still works",
                "paths.cam.video.bitsPerSecond: is called `bitrate` now; the old name still works",
                "paths.cam.audio.bitsPerSecond: is called `bitrate` now; the old name still works",
                "paths.cam.effects.overlay: `blockCode` is called `machineTimestamp` now; the old name still works",
            ])
        #expect(try warnings("paths: { cam: { video: { fps: 15 } } }") == [])
    }

    @Test(arguments: ["video.fps=15", "video.framesPerSecond=15", "video={ fps: 15 }"])
    func abbreviationsAndFormerNamesCanBeSet(_ assignment: String) throws {
        #expect(try Configuration().setting([assignment], of: "cam").paths["cam"]?.video.frameRate == 15)
    }

    @Test(arguments: ["video.bitrate=4M", "video.bitsPerSecond=4000k", "video={ bitrate: 4M }"])
    func bitratesCanBeSetWithDecimalMultiples(_ assignment: String) throws {
        #expect(try Configuration().setting([assignment], of: "cam").paths["cam"]?.video.bitrate == 4_000_000)
    }

    @Test func twoNamesOfOneOptionAreAMistake() {
        #expect(
            problems("paths: { cam: { video: { bitsPerSecond: 1000000, bitrate: 2M } } }")
                == "apus.yml:1:50: paths.cam.video.bitrate: `bitsPerSecond` and `bitrate` are two names of the same option; "
                + "remove one")
    }

    @Test(arguments: [
        ("paths: { cam: { video: { heigth: 720 } } }", "height"),
        ("paths: { cam: { video: { rate: 25 } } }", "frameRate"),
        ("paths: { cam: { video: { kbps: 25 } } }", "bitrate"),
        ("paths: { cam: { video: { codec: h264 } } }", "encoder"),
        ("paths: { cam: { video: { keyframe-interval: 2 } } }", "gopMilliseconds"),
        ("paths: { cam: { fps: 25 } }", "video.frameRate"), ("paths: { cam: { bitrate: 4M } }", "video.bitrate"),
        ("paths: { cam: { URL: /dev/video0 } }", "source"), ("paths: { cam: { mask: [] } }", "effects.privacyMasks"),
        ("port: 554", "server.port"), ("streams: {}", "paths"), ("cert: a", "tls.certificate"), ("ssl: {}", "tls"),
        ("paths: { cam: { effects: { overlay: time } } }", "clock"),
        ("paths: { cam: { effects: { overlay: timestamp } } }", "clock"),
        ("paths: { cam: { multicast: yes } }", "always"), ("tls: { encryption: on }", "optional"),
        ("join: { mode: cache }", "fastStart"),
    ])
    func aNameThatDoesNotExistIsAnsweredWithTheOneThatIsMeant(_ yaml: String, _ suggestion: String) throws {
        let text = try #require(problems(yaml))
        #expect(text.contains("did you mean `\(suggestion)`?"), "\(text)")
    }

    @Test func aNumberWithAMultipleIsWrittenOutForOptionsThatAreNoBitrates() {
        #expect(
            problems("ring: { bytes: 16M }")
                == "apus.yml:1:16: ring.bytes: expects a whole number from 1000000 to 4000000000 (bytes), not `16M`; "
                + "write 16000000")
    }
}
