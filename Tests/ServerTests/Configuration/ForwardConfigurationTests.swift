import Testing

@testable import Server

/// The option `forward` of a path.
struct ForwardConfigurationTests {
    private func forwards(_ yaml: String) throws -> [Configuration.Forward] {
        try Configuration(yaml: "paths: { cam: { source: testcard, forward: \(yaml) } }", file: "apus.yml").paths[
            "cam"]?
            .forward ?? []
    }

    @Test(arguments: [
        "[]", "'rtsp://ann:sesame@h:8554/a'", "['rtsp://ann:sesame@h:8554/a']", "{ url: 'rtsp://ann:sesame@h:8554/a' }",
        "[{ url: 'rtsp://ann:sesame@h:8554/a', transport: tcp }]",
    ])
    func aURLOrASectionOrAListOfThem(_ yaml: String) throws {
        let forwards = try forwards(yaml)
        #expect(forwards.map(\.destination.description) == (yaml == "[]" ? [] : ["rtsp://h:8554/a"]))
        #expect(forwards.allSatisfy { $0.transport == .tcp && $0.certificate == .verify })
    }

    @Test func eachEntryHasItsOwnOptions() throws {
        let forwards = try forwards(
            """
            ['rtsp://h/a', { url: 'rtsp://h/b', transport: udp, user: ann, password: 'a#b:c@d' }, { url: 'rtsps://h/c', \
            certificate: any }]
            """)
        #expect(forwards.map(\.transport) == [.tcp, .udp, .tcp])
        #expect(forwards[1].user == "ann" && forwards[1].password == "a#b:c@d")
        #expect(forwards[2].certificate.text == "any")
    }

    @Test(arguments: [
        (
            "'http://ann:sesame@h/a'",
            "forward.url: cannot forward to http://; the supported schemes are rtsp, rtsps, rtmp, rtmps and srt"
        ),
        (
            "['rtsp://h/a', 'srt://ann:sesame@h:9000']",
            "forward.2.url: this is not a valid SRT URL: a URL of SRT has the form srt://HOST:PORT?streamid=…"
        ),
        (
            "'ann:sesame'",
            "forward.url: expects a URL such as rtsp://HOST/PATH, rtmp://HOST/APP/KEY or srt://HOST:PORT"
        ),
        ("'rtsp://ann:sesame@h:x/a'", "forward.url: this is not a valid RTSP URL; write rtsp://HOST/PATH"),
        ("{ user: ann }", "forward: needs a `url`"),
        ("[{ url: 'rtsp://h/a' }, []]", "forward.2: expects options below it, not a list"),
        ("{ url: 'rtsp://h/a', transprt: udp }", "forward.transprt: no such option; did you mean `transport`?"),
        ("{ url: 'rtsps://h/a', transport: udp }", "forward.transport: must be tcp: UDP is for rtsp:// URLs"),
        ("{ url: 'rtmp://h/a/sesame', transport: udp }", "forward.transport: must be tcp: UDP is for rtsp:// URLs"),
        ("'rtmp://ann:sesame@h'", "forward.url: this is not a valid RTMP URL; write rtmp://HOST/APP/KEY"),
        ("'rtmp://ann:sesame@localhost:1935/cam'", "forward.url: is this path itself"),
        ("['rtmp://h/a/sesame', 'rtmp://h/a/sesame']", "forward.2.url: is listed twice"),
        (
            "{ url: 'rtsp://h/a', certificate: any }",
            "forward.certificate: has no effect without an rtsps:// or rtmps:// URL"
        ),
        ("{ url: 'rtsp://h/a', password: sesame }", "forward.password: has no effect without a user"),
        ("'rtsp://ann:sesame@localhost:8554/cam'", "forward.url: is this path itself"),
        ("['rtsp://ann:sesame@h/a', 'rtsp://bob:sesame@h/a']", "forward.2.url: is listed twice"),
        (
            "[\(Array(repeating: "'rtsp://h/a'", count: 17).joined(separator: ", "))]",
            "forward: expects a list of at most 16"
        ),
    ])
    func mistakesAreNamedWithoutPasswords(_ yaml: String, _ problem: String) throws {
        let text = try #require(problems("paths: { cam: { source: testcard, forward: \(yaml) } }"))
        #expect(text.contains("paths.cam.\(problem)"), "\(text)")
        #expect(!text.contains("sesame"))
    }

    @Test(
        arguments: [
            ("rtsp://h/copy/*", nil), ("rtsp://h/a?name=*", nil), ("rtsp://h/a", "needs a star in the path of the URL"),
            ("rtsp://*.h/a", "needs a star in the path of the URL"),
            ("rtsp://*:x@h/*", "needs a star in the path of the URL"),
        ] as [(String, String?)])
    func thePathsOfAPatternAreForwardedToPathsOfTheirOwn(_ url: String, _ problem: String?) {
        let text = problems("paths: { 'live/*': { source: publish, forward: '\(url)' } }")
        #expect(problem.map { text?.contains($0) == true } ?? (text == nil), "\(text ?? "")")
    }

    @Test func aStarStandsForTheNameOfTheCreatedPath() throws {
        let destination = try ForwardDestination("rtsp://ann:sesame@h/copy/*?name=*")
        #expect(destination.replacingPlaceholder(by: "a/b")?.description == "rtsp://h/copy/a/b?name=a/b")
        let fixed = try ForwardDestination("rtsp://h/copy")
        #expect(fixed.replacingPlaceholder(by: "a/b") == fixed)
    }

    @Test(arguments: [
        "[]", "'rtsp://h/a'",
        "['rtmp://h/app/key', { url: 'rtsps://h/\"b', user: ann, password: 'a\\\"#', certificate: any }]",
    ])
    func theReferenceOfAListIsThatList(_ yaml: String) throws {
        let configuration = try Configuration(
            yaml: "paths: { cam: { source: testcard, forward: \(yaml) } }", file: "apus.yml")
        let text = Schema.configuration.reference(configuration, indent: 0)
        #expect(try Configuration(yaml: text, file: "again.yml") == configuration)
    }

    @Test func aChangedForwardIsLiveAndLeavesTheSource() throws {
        func configuration(_ forward: String) throws -> Configuration {
            try Configuration(yaml: "paths: { cam: { source: testcard, forward: \(forward) } }", file: "apus.yml")
        }
        let old = try configuration("'rtsp://ann:sesame@h/a'")
        let new = try configuration("['rtsp://ann:sesame@h/a', 'rtsp://h/b']")
        let difference = ConfigurationDifference(from: old, to: new, running: old)
        #expect(difference.changed.map(\.isSourceChanged) == [false])
        #expect(AppliedChange.all(in: difference) == [.live(options: ["paths.cam.forward"])])
        #expect(ConfigurationDifference(from: new, to: new, running: old).isEmpty)
    }
}
