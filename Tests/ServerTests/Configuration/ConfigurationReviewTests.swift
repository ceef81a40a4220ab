import Foundation
import Glibc
import Streams
import TestSupport
import Testing

@testable import Server

/// The findings of `apus check` on this host.
@Suite struct ConfigurationReviewTests {
    /// The lines of the review, without the file name.
    private func review(
        _ yaml: String, in folder: TemporaryFolder, opensSources: Bool = false
    ) throws -> (errors: Int, lines: [String]) {
        try folder.write(yaml, to: "apus.yml")
        let review = try ConfigurationReview(of: folder.file("apus.yml"), opensSources: opensSources)
        let prefix = "\(folder.file("apus.yml")):"
        let lines = review.text.split(separator: "\n").map { String($0).replacing(prefix, with: "") }
        return (review.errors.count, lines)
    }

    @Test func aMissingFileIsAnErrorForTheCheckOnly() throws {
        let folder = try TemporaryFolder()
        let (errors, lines) = try review("paths:\n  cam: { source: /nowhere/film.mp4 }\n", in: folder)
        #expect(errors == 1)
        #expect(lines == ["2:18: paths.cam.source: no file at /nowhere/film.mp4; check the path"])
    }

    @Test func effectsOfAFifoAndSettingsOfACameraThatIsNoneAreErrors() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        let (errors, lines) = try review(
            """
            paths:
              cam: { source: \(folder.file("fifo")), effects: { mirror: true } }
              yard: { source: \(folder.file("fifo")), camera: { format: YUYV } }
              gone: { source: /dev/video77 }
            """, in: folder)
        #expect(errors == 3)
        let fifo = folder.file("fifo")
        let expected: [String] = [
            " paths.cam.source: H.264 from \(fifo) is not decoded, so it cannot have effects; remove the path's effects",
            " paths.yard.camera.format: the source is a fifo or another device, not a camera, so it has no camera settings",
            " paths.gone.source: no file at /dev/video77; check the path",
        ]
        #expect(lines.map(Self.withoutPosition) == expected)
    }

    private static func withoutPosition(_ line: String) -> String { String(line.drop { $0 != " " }) }

    @Test func anAddressOfAnotherHostIsAnError() throws {
        let folder = try TemporaryFolder()
        // An address for documentation (RFC 5737).
        let (errors, lines) = try review(
            "server: { address: 203.0.113.9 }\nmulticast: { interface: 203.0.113.9 }\n", in: folder)
        #expect(errors == 2)
        #expect(lines.allSatisfy { $0.contains("this host does not have the address 203.0.113.9") })
        #expect(try review("server: { address: 127.0.0.1 }\n", in: folder).lines.isEmpty)
    }

    @Test func rightsWithoutEffectAreWarnings() throws {
        let folder = try TemporaryFolder()
        let (errors, lines) = try review(
            """
            users:
              bob: { password: sesame, read: [yrad, "*"], publish: cam }
            paths: { yard: {} }
            """, in: folder)
        #expect(errors == 0)
        let expected: [String] = [
            " users.bob.read: warning: there is no path `yrad`; did you mean `yard`?",
            " users.bob.publish: warning: has no effect: no path has the source publish",
        ]
        #expect(lines.map(Self.withoutPosition) == expected)
    }

    @Test func mistypedURLsAreRefusedAsSources() throws {
        for (url, reason) in [
            ("rtsp://", "this is not a valid RTSP URL; write rtsp://HOST/PATH"),
            ("file:///srv/film.mp4", "write the path of the file without file://"),
        ] {
            #expect(problems("paths: { cam: { source: '\(url)' } }") == "apus.yml:1:25: paths.cam.source: \(reason)")
            let refusal = #expect(throws: SourceArgument.Refusal.self) { try SourceArgument(url) }
            #expect(refusal?.description == reason)
        }
        for url in ["http://192.0.2.7/film.mp4", "udp://239.1.1.1:5000"] {
            #expect(problems("paths: { cam: { source: '\(url)' } }") == nil)
            #expect(try SourceArgument(url).source == .url(url))
        }
        #expect(problems("paths: { cam: { source: './a:b//c' } }") == nil)
    }

    @Test(arguments: [
        (
            "source: testcard, pull: { transport: udp }",
            "pull: has no effect: the source is testcard, not an rtsp:// or rtmp:// URL"
        ),
        ("source: 'rtsp://h/a', pull: { password: x }", "pull.password: has no effect without pull.user"),
        (
            "source: 'https://h/a', pull: { transport: udp }",
            "pull: has no effect but for `certificate`: the source is https://h/a"
        ),
        (
            "source: 'https://h/a', pull: { certificate: 'fingerprint:\(String(repeating: "ab", count: 32))' }",
            "pull.certificate: must be verify or any for an https:// URL"
        ),
        (
            "source: 'rtsp://h/a', effects: { mirror: true }",
            "effects: the stream of another server is not decoded, so it cannot have effects"
        ),
        (
            "source: 'rtsp://h/a', camera: { format: YUYV }",
            "camera.format: the source is rtsp://h/a, which is not a camera, so it has no camera settings"
        ),
        (
            "source: 'srt://ann:secret@h/a', pull: { user: ann }",
            "pull: has no effect: the source is srt://h/a, not an rtsp:// or rtmp:// URL"
        ),
        (
            "source: 'rtsps://h/a', pull: { transport: udp }",
            "pull.transport: must be auto or tcp: UDP is for rtsp:// URLs"
        ),
        (
            "source: 'rtmp://h/a', pull: { transport: multicast }",
            "pull.transport: must be auto or tcp: UDP is for rtsp:// URLs"
        ),
        (
            "source: 'rtsp://h/a', pull: { certificate: any }",
            "pull.certificate: has no effect without an rtsps:// or rtmps:// URL"
        ),
        (
            "source: 'rtsps://h/a', pull: { certificate: 'fingerprint:12' }",
            "pull.certificate: expects verify, any, or fingerprint: and 64 hexadecimal digits"
        ),
        ("source: 'rtsp://h:x/a'", "source: this is not a valid RTSP URL; write rtsp://HOST/PATH"),
    ])
    func whatAPulledPathCannotHaveIsRefused(_ options: String, _ reason: String) throws {
        let text = try #require(problems("paths: { cam: { \(options) } }"))
        #expect(text.contains("paths.cam.\(reason)"))
    }

    @Test func aPulledPathMayHaveAUser() {
        let yaml = "paths: { cam: { source: 'rtsp://h/a', pull: { user: ann, password: 'a#b', transport: udp } } }"
        #expect(problems(yaml) == nil)
    }

    @Test func sourcesAreOpenedOnRequest() throws {
        let folder = try TemporaryFolder()
        try folder.write("no film", to: "film.mp4")
        let yaml = """
            paths:
              film: { source: \(folder.file("film.mp4")) }
              cam: { video: { width: 64, height: 48 } }
            """
        #expect(try review(yaml, in: folder).lines.isEmpty)
        let (errors, lines) = try review(yaml, in: folder, opensSources: true)
        #expect(errors == 1)
        #expect(
            lines.first?.contains("paths.film.source: \(folder.file("film.mp4")) cannot be read") == true, "\(lines)")
    }

    @Test func aSourceWithoutMediaIsReportedAfterTheTimeout() {
        let failure = SourceTest.failure(of: SilentSource(), within: 50)
        #expect(failure?.reason == "silence gave no video and no audio within 50 ms")
    }
}

/// Runs until it is stopped, without publishing anything.
private final class SilentSource: SupervisedSource {
    let label = "silence"
    private let stopped = Semaphore()

    func run(into stream: Streams.Stream) throws(SourceFailure) { stopped.wait() }
    func stop() { stopped.signal() }
    func requestKeyframe() {}
}
