import Testing

@testable import Server

struct ConfigurationTests {
    @Test func cameraControlsAreTextsByName() throws {
        let yaml =
            "paths: { cam: { source: /dev/video0, camera: { controls: { brightness: 128, power_line_frequency: 50 Hz } } } }"
        let path = try #require(try Configuration(yaml: yaml, file: "apus.yml").paths["cam"])
        #expect(path.camera.controls == ["brightness": "128", "power_line_frequency": "50 Hz"])
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: "paths: { cam: { camera: { controls: { gain: [1] } } } }", file: "apus.yml")
        }
        #expect(
            failure?.description
                == "apus.yml:1:45: paths.cam.camera.controls.gain: expects one value, not a list")
    }

    @Test func cameraSettingsAreRefusedOnAPathWithoutACamera() {
        #expect(
            problems("paths: { cam: { camera: { controls: { gain: 1 } } } }")
                == "apus.yml: paths.cam.camera.controls.gain: the source is testcard, which is not a camera, so it has "
                + "no camera settings")
        #expect(problems("paths: { cam: { camera: { format: auto, controls: {} } } }") == nil)
    }

    @Test func theNameOfAControlIsOneLine() {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: #"paths: { cam: { camera: { controls: { "a\nb": 1 } } } }"#, file: "apus.yml")
        }
        #expect(failure?.problems.map(\.message) == ["a name is one line of at most 64 bytes"])
    }

    @Test func anEmptyFileGivesTheDefaults() throws {
        for yaml in ["", "\n", "# nothing\n", "---\n", "server:\npaths:\n", "{}"] {
            #expect(try Configuration(yaml: yaml, file: "apus.yml") == Configuration())
        }
    }

    @Test func everyKindOfOptionIsRead() throws {
        let yaml = """
            server: { port: 554, address: "::1", sessionTimeoutSeconds: 30 }
            log: { level: debug }
            loops: { threads: 2 }
            rtp: { maximumPacketBytes: 1200, dscp: 34 }
            multicast: { firstGroup: 239.1.2.3, interface: 127.0.0.1 }
            join: { mode: keyframe }
            paths:
              cam:
                source: testcard
                title: "The yard: north"
                multicast: onRequest
                multicastTransportStream: always
                video: { width: 640, height: 360, frameRate: 25, gopMilliseconds: 1000, profile: baseline }
                audio: { enabled: false, sampleRate: 44100 }
              film:
                source: /srv/film.mp4
                loop: false
                join: fastStart
            """
        let configuration = try Configuration(yaml: yaml, file: "apus.yml")
        #expect(configuration.server.port == 554)
        #expect(configuration.server.address == "::1")
        #expect(configuration.log.level == .debug)
        #expect(configuration.loops.threads == 2)
        #expect(configuration.rtp.maximumPacketBytes == 1200)
        #expect(configuration.multicast.firstGroup.description == "239.1.2.3")
        #expect(configuration.join.mode == .keyframe)
        let cam = try #require(configuration.paths["cam"])
        #expect(cam.title == "The yard: north")
        #expect(cam.multicast == .onRequest)
        #expect(cam.multicastTransportStream == .always)
        #expect(cam.video.gopFrames == 25)
        #expect(cam.video.profile == .baseline)
        #expect(!cam.audio.enabled)
        #expect(cam.audio.sampleRate.hertz == 44_100)
        #expect(cam.join == nil)
        let film = try #require(configuration.paths["film"])
        #expect(film.source == .path("/srv/film.mp4"))
        #expect(!film.loop)
        #expect(film.join == .fastStart)
    }

    @Test func namesOfPaths() {
        let long = Array(repeating: "abcdefghijklmnopqrstuvwx", count: 8).joined(separator: "/")
        for name in ["cam", "a/b/c/d/e/f/g/h", "A-_.9", "apis", "jpg", "a/ws/b", long] {
            #expect(isPathName(name), "\(name)")
        }
        for name in [
            "", "/cam", "cam/", "a//b", "..", "a/./b", "a b", "ä", "track1", "a/track22", "a/b/c/d/e/f/g/h/i", "api",
            "api/x",
            "metrics", "healthz/x", "readyz", "cam/ws", "whep", "a/whip", "recordings", "a/index.m3u8", "index.mp4",
            "clip.mp4",
            "a/b.jpg", long + "ABCDEFGHI", "live/*",
        ] { #expect(!isPathName(name), "\(name)") }
        for name in ["*", "live/*", "a/b/*"] { #expect(isPublishPattern(name), "\(name)") }
        for name in ["", "live", "live*", "*/live", "live/**", "/*", "api/*"] {
            #expect(!isPublishPattern(name), "\(name)")
        }
    }

    @Test(arguments: wrong)
    func mistakesAreReportedWithTheirPosition(_ wrong: Wrong) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: wrong.yaml, file: "apus.yml")
        }
        #expect(failure?.description == wrong.message)
    }

    @Test func allMistakesAreReportedInTheOrderOfTheLines() {
        let yaml = "server:\n  prot: 1\n  port: x\nlog: 5\nrign:\n  seconds: 1\n"
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(yaml: yaml, file: "apus.yml")
        }
        #expect(failure?.problems.map(\.option) == ["server.prot", "server.port", "log", "rign"])
        #expect(failure?.problems.map { $0.position?.line } == [2, 3, 4, 5])
    }

    @Test func anAliasBombIsRefusedWithoutBeingExpanded() {
        let bomb = (0..<40).reduce(into: "a0: &a0 [x, x]\n") { text, level in
            text += "a\(level + 1): &a\(level + 1) [*a\(level), *a\(level), *a\(level)]\n"
        }
        #expect(throws: ConfigurationFailure.self) { try Configuration(yaml: bomb, file: "apus.yml") }
        let key = "? [&a [x], &b [*a, *a], &c [*b, *b], &d [*c, *c]]\n: 1\n"
        #expect(throws: ConfigurationFailure.self) { try Configuration(yaml: key, file: "apus.yml") }
    }

    @Test func aHugeOrDeeplyNestedTextIsRefused() {
        let texts = [
            String(repeating: "#", count: Configuration.maximumFileBytes + 1),
            String(repeating: "[", count: 100_000),
            String(repeating: "- ", count: 100_000),
            String(repeating: "{a: ", count: 100_000),
        ]
        for text in texts {
            #expect(throws: ConfigurationFailure.self) { try Configuration(yaml: text, file: "apus.yml") }
        }
    }

    @Test func aMissingFileAndAFolderAreNamed() {
        for (file, message) in [
            ("/nowhere/apus.yml", "no such file, or no permission to read it"), ("/", "is not a regular file"),
            ("/dev/zero", "is not a regular file"),
        ] {
            let failure = #expect(throws: ConfigurationFailure.self) { try Configuration.load(file) }
            #expect(failure?.description == "\(file): \(message)")
        }
    }
}

struct Wrong: Sendable, CustomTestStringConvertible {
    let yaml: String
    let message: String

    init(_ yaml: String, _ message: String) {
        self.yaml = yaml
        self.message = message
    }

    var testDescription: String { message }
}

private let wrong = [
    Wrong("server:\n  prot: 1\n", "apus.yml:2:3: server.prot: no such option; did you mean `port`?"),
    Wrong(
        "loops:\n  colour: 1\n", "apus.yml:2:3: loops.colour: no such option; the options here are threads"),
    Wrong(
        "server:\n  port: lots\n",
        "apus.yml:2:9: server.port: expects a whole number from 1 to 65535 (TCP port), not `lots`"),
    Wrong(
        "server:\n  port: 65536\n",
        "apus.yml:2:9: server.port: expects a whole number from 1 to 65535 (TCP port), not `65536`"),
    Wrong(
        "server:\n  port: \"554\"\n",
        "apus.yml:2:9: server.port: expects a whole number from 1 to 65535 (TCP port), not `554`"),
    Wrong(
        "server:\n  port:\n",
        "apus.yml:2:8: server.port: expects a whole number from 1 to 65535 (TCP port), not nothing"),
    Wrong(
        "server:\n  port: [1]\n",
        "apus.yml:2:9: server.port: expects a whole number from 1 to 65535 (TCP port), not a list"),
    Wrong("server: 8554\n", "apus.yml:1:9: server: expects options below it, not `8554`"),
    Wrong("- server\n", "apus.yml:1:1: expects options below it, not a list"),
    Wrong(
        "server: { address: localhost }\n",
        "apus.yml:1:20: server.address: expects a numeric address of this host, or \"\", not `localhost`"),
    Wrong(
        "join:\n  mode: keyfram\n",
        "apus.yml:2:9: join.mode: expects one of auto, fastStart, keyframe, not `keyfram`; did you mean `keyframe`?"),
    Wrong(
        "paths: { cam: { loop: 1 } }\n", "apus.yml:1:23: paths.cam.loop: expects true or false, not `1`"),
    Wrong(
        "paths:\n  a//b:\n    source: testcard\n",
        "apus.yml:2:3: paths.a//b: a name is up to 200 letters, digits, `-`, `_` and `.`, with `/` between up to 8 parts, the "
            + "last of which is not `track` and a number, or a name that the web server will need (docs/publishing.md); "
            + "a pattern ends with `*`"),
    Wrong(
        "paths:\n  \"live/*\": { source: testcard }\n",
        "apus.yml:2:23: paths.live/*.source: a pattern of paths needs the source publish"),
    Wrong(
        "paths:\n  cam: { title: \"a\\nb\" }\n",
        "apus.yml:2:17: paths.cam.title: expects one line of text, at most 200 bytes, not `a\\u{a}b`"),
    Wrong(
        "paths:\n  cam: { video: { width: 641 } }\n",
        "apus.yml:2:26: paths.cam.video.width: must be even, and 641 is odd"),
    Wrong(
        "paths:\n  a:\n    source: -\n",
        "apus.yml:3:13: not valid YAML: block sequence entries are not allowed in this context; write a single - in quotes"
    ),
    Wrong(
        "paths:\n  a: { source: \"-\" }\n  b: { source: \"-\" }\n",
        "apus.yml:3:16: paths.b.source: paths.a reads standard input already, and only one path can"),
    Wrong(
        "rtp:\n  firstUDPPort: 7000\n  lastUDPPort: 7001\n",
        "apus.yml:3:16: rtp.lastUDPPort: must be at least 2 above rtp.firstUDPPort, which is 7000"),
    Wrong(
        "loops: { threads: 4 }\nrtp: { firstUDPPort: 7000, lastUDPPort: 7006 }\n",
        "apus.yml:2:41: rtp.lastUDPPort: must be at least 8 above rtp.firstUDPPort, which is 7000: each event loop uses two ports"
    ),
    Wrong(
        "rtp: { maximumPacketBytes: 1437 }\npaths: { a: {}, b: { absoluteCaptureTime: true } }\n",
        "apus.yml:1:28: rtp.maximumPacketBytes: must be at most 1436, because paths.b.absoluteCaptureTime makes packets longer"
    ),
    Wrong(
        "multicast:\n  port: 5005\n",
        "apus.yml:2:9: multicast.port: must be even, because RTCP uses the odd port above it"),
    Wrong(
        "multicast:\n  firstGroup: 10.0.0.1\n",
        "apus.yml:2:15: multicast.firstGroup: expects an IPv4 multicast address from 224.0.0.0 to 239.255.255.255, "
            + "not `10.0.0.1`"),
    Wrong(
        "multicast: { firstGroup: 239.0.0.1, lastGroup: 239.0.0.1 }\n"
            + "paths: { a: { multicast: always }, b: { multicast: always } }\n",
        "apus.yml:1:48: multicast.lastGroup: is too low: 2 multicast paths need 2 groups, and there is 1"),
    Wrong(
        "multicast: { firstGroup: 239.0.0.1, lastGroup: 239.0.0.1 }\n"
            + "paths: { a: { multicast: always }, b: { multicastTransportStream: always } }\n",
        "apus.yml:1:48: multicast.lastGroup: is too low: 2 multicast paths need 2 groups, and there is 1"),
    Wrong(
        "join: { maximumFastStartBytes: 2000000 }\nring: { bytes: 1000000 }\n",
        "apus.yml:1:32: join.maximumFastStartBytes: is more than ring.bytes, which is 1000000"),
    Wrong(
        "join: { maximumFastStartBytes: 3000000, totalFastStartBytes: 2000000 }\n",
        "apus.yml:1:62: join.totalFastStartBytes: is less than join.maximumFastStartBytes, which is 3000000"),
    Wrong("server:\n\tport: 554\n", "apus.yml:2:1: not valid YAML: the line begins with a tab; indent it with spaces"),
    Wrong("server: {\n", "apus.yml:2:1: not valid YAML: did not find expected node content"),
    Wrong("a: 1\na: 2\n", "apus.yml:1:1: this key appears twice: `a`"),
    Wrong("--- 1\n--- 2\n", "apus.yml:2:1: not valid YAML: but found another document"),
    Wrong(
        "log: &x { level: info }\n", "apus.yml:1:6: log: anchors and aliases are not supported: write the value out"),
]
