import Testing

@testable import Server

/// Properties of the difference between two configurations.
struct ConfigurationDifferenceTests {
    private static let base = """
        paths:
          a: { title: Yard }
          b: { source: /srv/film.mp4, multicast: onRequest }
          c: {}
          v: { source: /dev/video77 }

        """

    private func configuration(_ yaml: String) throws -> Configuration {
        try Configuration(yaml: yaml, file: "apus.yml")
    }

    private func difference(_ old: Configuration, _ new: Configuration) -> ConfigurationDifference {
        ConfigurationDifference(from: old, to: new, running: old)
    }

    /// Values that differ from the defaults, by option.
    static let options: [String: String] = [
        "server.port": "554", "tls.port": "322", "tls.key": "/k.pem", "server.address": "127.0.0.1",
        "log.level": "debug", "control.socket": "/run/a",
        "loops.threads": "3", "limits.viewers": "7", "rtp.dscp": "34", "multicast.port": "6000", "ring.seconds": "5",
        "join.mode": "keyframe", "keyframeRequests.burst": "9", "paths.c.source": "/srv/a.mp4", "paths.c.title": "A: b",
        "paths.c.description": "x", "paths.c.loop": "false", "paths.c.multicast": "always", "paths.c.join": "keyframe",
        "paths.c.multicastTransportStream": "always", "paths.c.video.width": "640", "paths.c.video.encoder": "libx264",
        "paths.c.video.intraRefresh": "true", "paths.c.audio.channels": "1", "paths.v.camera.format": "YUYV",
        "paths.v.camera.controls": "{ brightness: 7 }", "paths.c.effects.mirror": "true",
        "paths.c.effects.rotate": "90", "paths.c.timestamps": "all",
        "paths.c.absoluteCaptureTime": "true", "access.realm": "Yard", "users.ann": "{ password: sesame }",
        "paths.c.effects.privacyMasks": "[[5%, 0%, 12%, 100%]]", "paths.c.audio.device": "none",
    ]

    /// The base with one changed option.
    private func changed(_ option: String, _ value: String) throws -> Configuration {
        let keys = option.split(separator: ".").map(String.init)
        let text = value.hasPrefix("{") || value.hasPrefix("[") ? value : "\"\(value)\""
        let plain = Int(value) != nil || ["true", "false"].contains(value) ? value : text
        if keys[0] != "paths" { return try configuration(Self.base + "\(keys[0]): { \(keys[1]): \(plain) }\n") }
        let inner = keys.dropFirst(2).reversed().reduce(plain) { "{ \($1): \($0) }" }
        guard keys[1] == "v" else { return try configuration(Self.base.replacing("  c: {}", with: "  c: \(inner)")) }
        return try configuration(
            Self.base.replacing("v: { source: /dev/video77 }", with: "v: { source: /dev/video77, \(inner.dropFirst(2))")
        )
    }

    @Test func aConfigurationHasNoDifferenceFromItself() throws {
        for configuration in [
            Configuration(), try configuration(Self.base), try configuration(Configuration.reference),
        ] {
            #expect(difference(configuration, configuration).isEmpty)
        }
        // Without paths, the test card is served as cam: this equals a configuration with that path.
        #expect(difference(Configuration(), try configuration("paths: { cam: {} }")).isEmpty)
    }

    @Test func controlNamesThatContainSeparatorsAreDistinguished() throws {
        let old = try changed("paths.v.camera.controls", #"{ focus: "2", gain: "1" }"#)
        let new = try changed("paths.v.camera.controls", #"{ 'focus: "2", gain': "1" }"#)
        #expect(difference(old, new).changed.map(\.name) == ["v"])
    }

    @Test(arguments: options.sorted { $0.key < $1.key })
    func oneChangedOptionIsOneDifferenceInBothDirections(_ option: String, _ value: String) throws {
        let (old, new) = (try configuration(Self.base), try changed(option, value))
        for (from, to) in [(old, new), (new, old)] {
            #expect(Schema.configuration.changes(from: from, to: to, at: .root).map(\.option.text) == [option])
            let difference = difference(from, to)
            let ofServer = difference.live + difference.atNextStart
            let ofPaths = difference.changed.flatMap { path in
                path.options.values.joined().map { "paths.\(path.name).\($0)" }
            }
            #expect(ofServer + ofPaths == [option])
            #expect(difference.added.isEmpty && difference.removed.isEmpty)
            #expect(
                AppliedChange.all(in: difference).contains {
                    "\($0)".contains(option.replacing(/paths\.[cv]\./, with: ""))
                })
        }
    }

    @Test func eachOptionOfTheSchemaAloneIsADifferenceOfExactlyItsEffect() throws {
        let lines = Configuration.reference.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let base = try Self.withoutContradictions(lines)
        var changedOptions: Set<String> = []
        for index in lines.indices {
            guard let value = Self.otherValue(at: index, in: lines), let colon = lines[index].firstIndex(of: ":") else {
                continue
            }
            var changed = lines
            changed[index] = "\(lines[index][...colon]) \(value)"
            let new = try Self.withoutContradictions(changed)
            let changes = Schema.configuration.changes(from: base, to: new, at: .root)
            #expect(changes.count == 1, "\(changed[index])")
            guard let change = changes.first else { continue }
            let option = change.option.text
            let difference = difference(base, new)
            let isOfPath = option.hasPrefix("paths.cam.")
            #expect(difference.live == (isOfPath || change.effect == .serverRestart ? [] : [option]))
            #expect(difference.atNextStart == (change.effect == .serverRestart ? [option] : []))
            let ofPath = isOfPath ? [change.effect: [String(option.dropFirst(10))]] : [:]
            #expect(difference.changed.first { $0.name == "cam" }?.options ?? [:] == ofPath, "\(option)")
            #expect(Self.comment(above: index, in: lines).hasSuffix(change.effect.sentence), "\(option)")
            changedOptions.insert(option)
        }
        #expect(changedOptions.count > 80)
    }

    /// The configuration of these lines, also if its options contradict each other.
    private static func withoutContradictions(_ lines: [String]) throws -> Configuration {
        var (configuration, reading) = (Configuration(), Reading())
        try Configuration.withDocument(lines.joined(separator: "\n"), file: "apus.yml") { root in
            Schema.configuration.read(root, at: .root, into: &configuration, noting: &reading)
        }
        #expect(reading.problems.isEmpty)
        return configuration
    }

    /// A value other than the default of the option at this line of the reference file, by what its comment says that it expects;
    /// `nil` if the line has no option, or one whose values have a form of their own.
    private static func otherValue(at index: Int, in lines: [String]) -> String? {
        guard !isComment(lines[index]), let colon = lines[index].firstIndex(of: ":") else { return nil }
        let value = lines[index][colon...].dropFirst(2)
        let comment = comment(above: index, in: lines)
        if let range = comment.firstMatch(of: /Expects a whole number from (\d+) to (\d+)/) {
            return String(value == range.1 ? range.2 : range.1)
        }
        if let words = comment.firstMatch(of: /Expects one of ([^;(]+)/) {
            return words.1.split(separator: ",").map { String($0.drop { $0 == " " }) }.map {
                String($0.prefix { $0 != " " })
            }.first { $0 != value }.map { "\"\($0)\"" }
        }
        if comment.contains("Expects true or false") { return value == "true" ? "false" : "true" }
        return comment.contains("Expects one line of text") ? "\"mute\"" : nil
    }

    /// The text of the comment that ends above this line.
    private static func comment(above index: Int, in lines: [String]) -> String {
        lines[..<index].reversed().prefix(while: isComment).reversed()
            .map { String($0.trimmingPrefix { $0 == " " || $0 == "#" }) }.joined(separator: " ")
    }

    private static func isComment(_ line: String) -> Bool { line.trimmingPrefix { $0 == " " }.hasPrefix("#") }

    @Test func pathsAreAddedRemovedAndKept() throws {
        let old = try configuration(Self.base)
        let new = try configuration(
            "paths: { b: { source: /srv/film.mp4, multicast: onRequest }, d: {}, c: { loop: false } }")
        let difference = difference(old, new)
        #expect(difference.removed == ["a", "v"])
        #expect(difference.added == ["d"])
        #expect(difference.changed.map(\.name) == ["c"], "b has not changed")
        #expect(Set(old.paths.keys).subtracting(difference.removed).union(difference.added) == Set(new.paths.keys))
    }

    @Test func aNewSourceGetsAllChangedOptions() throws {
        let old = try configuration(Self.base)
        let new = try configuration(
            Self.base.replacing("c: {}", with: "c: { loop: false, video: { width: 640 }, title: T }"))
        let path = try #require(difference(old, new).changed.first)
        #expect(path.options == [.source: ["loop", "video.width"], .newViewers: ["title"]])
        #expect(path.isSourceChanged && path.arePathOptionsChanged && !path.areGroupsChanged)
    }

    @Test func aChangedTitleInTheOverlayIsAppliedByTheSource() throws {
        let text = "c: { title: A, effects: { overlay: title } }"
        let old = try configuration(Self.base.replacing("c: {}", with: text))
        let new = try configuration(Self.base.replacing("c: {}", with: text.replacing("A", with: "B")))
        let path = try #require(difference(old, new).changed.first)
        #expect(path.options == [.encoding: ["title"]] && path.arePathOptionsChanged)
    }

    @Test func aFileWithItsFirstEffectsIsReopenedButATestCardIsNot() throws {
        for (source, effect) in [("/srv/film.mp4", OptionEffect.source), ("testcard", .encoding)] {
            let text = "c: { source: \(source) }"
            let old = try configuration(Self.base.replacing("c: {}", with: text))
            let new = try configuration(
                Self.base.replacing("c: {}", with: "c: { source: \(source), effects: { mirror: true } }"))
            let reconfigured = try configuration(
                Self.base.replacing(
                    "c: {}", with: "c: { source: \(source), effects: { mirror: true, overlay: machineTimestamp } }"))
            #expect(try #require(difference(new, reconfigured).changed.first).options == [effect: ["effects.overlay"]])
            for (from, to) in [(old, new), (new, old)] {
                #expect(try #require(difference(from, to).changed.first).options == [effect: ["effects.mirror"]])
            }
        }
    }

    @Test func aPathThatSortsBeforeOthersChangesTheirGroups() throws {
        let old = try configuration(Self.base)
        let new = try configuration(
            Self.base.replacing("a: { title: Yard }", with: "a: { title: Yard, multicast: always }"))
        let difference = difference(old, new)
        #expect(difference.changed.map(\.name) == ["a", "b"])
        #expect(difference.changed.map(\.areGroupsChanged) == [true, true])
        #expect(
            AppliedChange.all(in: difference)
                == [.regrouped(path: "a", options: ["multicast"]), .regrouped(path: "b", options: [])])
    }

    @Test func optionsForTheNextStartAreReportedUntilThen() throws {
        let running = try configuration("ring: { seconds: 5 }")
        let wanted = try configuration("ring: { seconds: 6 }\nlog: { level: debug }")
        let first = ConfigurationDifference(from: running, to: wanted, running: running)
        #expect(first.atNextStart == ["ring.seconds"] && first.live == ["log.level"])
        let second = ConfigurationDifference(from: wanted, to: wanted, running: running)
        #expect(second.atNextStart == ["ring.seconds"] && second.live.isEmpty)
    }
}
