import Capture
import Codecs
import Logging
import Testing

@testable import Server

/// Paths that are made of others, and cameras with their microphones.
struct SubstreamConfigurationTests {
    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try Configuration(yaml: yaml, file: "apus.yml")
            return []
        } catch {
            return error.problems.map { "\($0.option): \($0.message)" }
        }
    }

    @Test func aSubstreamMayHaveANameBelowItsParent() throws {
        let configuration = try Configuration(
            yaml: "paths: { cam: {}, cam/sub: { source: 'stream:cam', video: { width: 640, height: 360 } } }",
            file: "apus.yml")
        #expect(configuration.paths["cam/sub"]?.source == .substream(of: "cam"))
        #expect(configuration.paths["cam/sub"]?.source.description == "stream:cam")
    }

    @Test func aSubstreamKeepsTheAspectRatioOfItsParentInOneOfTwoWays() throws {
        func fit(_ video: String) throws -> FrameFit {
            let yaml = "paths: { cam: {}, sub: { source: 'stream:cam', video: { \(video) } } }"
            let configuration = try Configuration(yaml: yaml, file: "apus.yml")
            return EncodingSettings(try #require(configuration.paths["sub"])).fit
        }
        #expect(try fit("width: 640") == .letterbox)
        #expect(try fit("fit: crop") == .crop)
        #expect(problems("paths: { sub: { video: { fit: stretch } } }").count == 1)
    }

    @Test(arguments: [
        ("paths: { sub: { source: 'stream:cam' } }", "there is no path `cam`"),
        ("paths: { cam: {}, sub: { source: 'stream:can' } }", "did you mean `cam`?"),
        (
            "paths: { cam: {}, a: { source: 'stream:cam' }, b: { source: 'stream:a' } }",
            "`a` is a substream itself; write stream:cam"
        ),
        ("paths: { a: { source: 'stream:a' } }", "a path cannot be its own source: `a` of `a`"),
        ("paths: { cam/track1: {} }", "which is not"),
        ("paths: { cam//sub: {} }", "cam//sub"),
        ("paths: { /cam: {} }", "/cam"),
        ("paths: { cam/..: {} }", "cam/.."),
    ])
    func invalidSubstreamsAreRefused(yaml: String, reason: String) {
        let problems = problems(yaml)
        #expect(problems.count == 1)
        #expect(problems.first?.contains(reason) == true, "\(problems)")
    }

    @Test func chainsAndCyclesOfSubstreamsAreReportedForEachPath() {
        #expect(
            problems(
                "paths: { a: { source: 'stream:c' }, b: { source: 'stream:a' }, c: { source: 'stream:b' } }")
                == [
                    "paths.a.source: a path cannot be its own source: `a` of `c` of `b` of `a`",
                    "paths.b.source: a path cannot be its own source: `b` of `a` of `c` of `b`",
                    "paths.c.source: a path cannot be its own source: `c` of `b` of `a` of `c`",
                ])
        #expect(
            problems("paths: { a: { source: 'stream:b' }, b: { source: 'stream:b' } }") == [
                "paths.a.source: `b` is a substream itself",
                "paths.b.source: a path cannot be its own source: `b` of `b`",
            ])
        #expect(
            problems(
                "paths: { a: { source: 'stream:b' }, b: { source: 'stream:c' }, c: { source: 'stream:d' }, d: {} }")
                == [
                    "paths.a.source: `b` is a substream itself; write stream:d",
                    "paths.b.source: `c` is a substream itself; write stream:d",
                ])
    }

    @Test func aCameraHasTheMicrophoneThatItsPathNames() {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var path = Configuration.Path()
        #expect(makeMicrophone(path, log: log)?.device == "default")
        path.audio.device = "plughw:CARD=Device,DEV=0"
        path.audio.channels = 1
        let microphone = makeMicrophone(path, log: log)
        #expect(microphone?.device == "plughw:CARD=Device,DEV=0")
        #expect(microphone?.settings.channelCount == 1)
        path.audio.device = "none"
        #expect(makeMicrophone(path, log: log) == nil)
        path.audio.device = "default"
        path.audio.enabled = false
        #expect(makeMicrophone(path, log: log) == nil)
    }
}
