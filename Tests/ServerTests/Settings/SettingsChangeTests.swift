import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Settings that are changed over HTTP: what changes, and what is kept for the next start.
@Suite(.serialized)
struct SettingsChangeTests {
    private let folder: TemporaryFolder
    private let lines = LogLines()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var log: Logger { lines.logger }
    private var stateFolder: StateFolder { StateFolder(at: folder.file("state")) }
    private var settingsText: String { String(decoding: folder.bytes("state/settings.yml"), as: UTF8.self) }

    private static let camera = "paths: { cam: { title: Yard, video: { bitrate: 2M } }, 'live/*': { source: publish } }"

    private func read(_ yaml: String) throws -> (Configuration, StatedOptions) {
        var reading = Reading()
        var configuration = try Configuration(
            yaml: "rtp: { firstUDPPort: 20000, lastUDPPort: 24000 }\nloops: { threads: 1 }\n" + yaml, file: "apus.yml",
            noting: &reading)
        (configuration.server.port, configuration.http.port) = (0, 0)
        configuration.control.socket = ""
        return (configuration, StatedOptions(reading))
    }

    /// A server that is not started.
    private func server(_ yaml: String = camera, in place: StateFolder? = nil) throws -> Assembly {
        let (configuration, stated) = try read(yaml)
        return try Assembly(configuration, stated: stated, log: log, stateFolder: place ?? stateFolder)
    }

    private func setting(_ key: String, of assembly: Assembly) throws -> PathSetting {
        try #require(assembly.settings(of: "cam")?.first { $0.key == key })
    }

    @Test func aChangeSurvivesARestartAndTheFileIsForItsOwnerOnly() throws {
        let first = try server()
        let change = try first.change(["video.bitrate": .number(4_000_000), "effects.mirror": .flag(true)], of: "cam")
        #expect(change.lossAtRestart == nil)
        #expect(
            change.changes == [
                .reconfigured(path: "cam", options: ["video.bitrate", "effects.mirror"])
            ])
        #expect(
            settingsText.hasSuffix(
                """
                paths:
                  "cam":
                    "effects.mirror": { value: true }
                    "video.bitrate": { value: 4000000, insteadOf: 2000000 }

                """))
        let file = folder.file("state/settings.yml")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        first.stop()
        let second = try server()
        #expect(second.configuration.paths["cam"]?.video.bitrate == 4_000_000)
        #expect(second.configuration.paths["cam"]?.effects.mirror == true)
        #expect(second.configuration.paths["live/*"] != nil)
        #expect(lines.text.contains("settings changed over HTTP apply"))
        second.stop()
    }

    @Test func eachValueHasItsOrigin() throws {
        var (configuration, stated) = try read(Self.camera)
        configuration.paths["cam"]?.video.frameRate = 15
        stated.setByCommandLine("paths.cam.video.frameRate")
        let assembly = try Assembly(configuration, stated: stated, log: log, stateFolder: stateFolder)
        defer { assembly.stop() }
        _ = try assembly.change(["video.bitrate": .number(4_000_000)], of: "cam")
        _ = try assembly.set(["video.width=640", "video.height=360"], of: "cam")
        let expected: [(String, SettingValue, SettingOrigin, SettingValue)] = [
            ("title", .text("Yard"), .file, .text("Yard")),
            ("video.frameRate", .number(15), .commandLine, .number(15)),
            ("video.bitrate", .number(4_000_000), .settings, .number(2_000_000)),
            ("video.width", .number(640), .control, .number(1280)),
            ("effects.mirror", .flag(false), .default, .flag(false)),
        ]
        for (key, value, origin, configured) in expected {
            let setting = try setting(key, of: assembly)
            #expect((setting.value, setting.origin, setting.configured) == (value, origin, configured), "\(key)")
        }
        // What apus set changes replaces the setting until the configuration is read again.
        _ = try assembly.set(["video.bitrate=3M"], of: "cam")
        #expect(try setting("video.bitrate", of: assembly).origin == .control)
        assembly.apply(configuration, stated: stated)
        #expect(try setting("video.bitrate", of: assembly).value == .number(4_000_000))
        #expect(try setting("video.width", of: assembly).origin == .default)
    }

    @Test func withoutAValueASettingHasThatOfTheConfigurationAgain() throws {
        let assembly = try server()
        defer { assembly.stop() }
        _ = try assembly.change(["video.bitrate": .number(4_000_000), "title": .text("A")], of: "cam")
        let change = try assembly.change(["video.bitrate": nil], of: "cam")
        #expect(change.changes == [.reconfigured(path: "cam", options: ["video.bitrate"])])
        #expect(try setting("video.bitrate", of: assembly).value == .number(2_000_000))
        #expect(!settingsText.contains("bitrate") && settingsText.contains("title"))
        // Setting the configuration's own value does the same.
        _ = try assembly.change(["title": .text("Yard")], of: "cam")
        #expect(settingsText.contains("paths: {}"))
        #expect(try assembly.change(["title": .text("Yard")], of: "cam").changes == [])
    }

    @Test func theFilesValueWinsWhenItChangesAndTheLogSaysSo() throws {
        let assembly = try server()
        defer { assembly.stop() }
        _ = try assembly.change(["video.bitrate": .number(4_000_000), "title": .text("A")], of: "cam")
        let (configuration, stated) = try read(Self.camera.replacing("2M", with: "3M"))
        #expect(
            assembly.apply(configuration, stated: stated) == [.reconfigured(path: "cam", options: ["video.bitrate"])])
        #expect(try setting("video.bitrate", of: assembly).value == .number(3_000_000))
        #expect(try setting("title", of: assembly).origin == .settings)
        #expect(
            lines.text.contains(
                "paths.cam.video.bitrate: 4000000 is not used: the configuration has changed since, and its value is 3000000"
            ))
        // The other change stays, and a new one counts from the new value.
        _ = try assembly.change(["video.bitrate": .number(5_000_000)], of: "cam")
        #expect(settingsText.contains("value: 5000000, insteadOf: 3000000"))
    }

    @Test(
        arguments: [
            (["source": .text("/etc/passwd")], .notOverHTTP, "source"),
            (["effects.filters": .text("movie=/etc/passwd")], .notOverHTTP, "effects.filters"),
            (["pull.password": .text("a"), "title": .text("A")], .notOverHTTP, "pull.password"),
            (["forward": .list([])], .notOverHTTP, "forward"),
            (["video.bitrtae": .number(1)], .invalid, "video.bitrtae"), (["video": .map([:])], .invalid, "video"),
            (["": .number(1)], .invalid, ""), (["video.bitrate": .number(1)], .invalid, "video.bitrate"),
            (["video.width": .number(641), "title": .text("A")], .invalid, "video.width"),
            (["camera.controls": .map(["gain": .number(1)])], .invalid, "camera.controls.gain"),
            (
                ["effects.privacyMasks": .list([.list([0, 0, 1281, 10].map { .number($0) })])], .invalid,
                "effects.privacyMasks.1"
            ),
        ] as [([String: SettingValue], SettingFailure.Kind, String)])
    func aMistakeNamesItsOptionAndNothingChanges(
        _ wanted: [String: SettingValue], _ kind: SettingFailure.Kind, _ option: String
    ) throws {
        let assembly = try server()
        defer { assembly.stop() }
        let before = assembly.configuration
        let failure = #expect(throws: SettingFailure.self) {
            try assembly.change(wanted.mapValues(Optional.some), of: "cam")
        }
        #expect(failure?.kind == kind && failure?.problems.map(\.option) == [option], "\(failure?.reasons ?? [])")
        if kind == .notOverHTTP {
            #expect(
                failure?.problems.first?.message
                    == "cannot be changed over HTTP; change it in the configuration file, or with apus set")
        }
        #expect(assembly.configuration == before && folder.bytes("state/settings.yml").isEmpty)
    }

    @Test func onlyPathsOfTheConfigurationHaveSettings() throws {
        let assembly = try server()
        defer { assembly.stop() }
        for name in ["nowhere", "live/*", "live/phone", ""] {
            #expect(assembly.settings(of: name) == nil)
            let failure = #expect(throws: SettingFailure.self) { try assembly.change([:], of: name) }
            #expect(failure?.kind == .noPath)
        }
    }

    // MARK: - Disks

    @Test func aDamagedFileIsKeptAsideAndTheServerStarts() throws {
        try FileManager.default.createDirectory(atPath: stateFolder.path, withIntermediateDirectories: true)
        try folder.write("paths: { cam: { title: [", to: "state/settings.yml")
        let assembly = try server()
        defer { assembly.stop() }
        #expect(try setting("title", of: assembly).value == .text("Yard"))
        #expect(folder.bytes("state/settings.yml.damaged") == Array("paths: { cam: { title: [".utf8))
        #expect(folder.bytes("state/settings.yml").isEmpty)
        for text in ["settings.yml:2:1: not valid YAML", "is damaged", "settings.yml.damaged"] {
            #expect(lines.text.contains(text), "\(text)")
        }
        #expect(try assembly.change(["title": .text("A")], of: "cam").lossAtRestart == nil)
        #expect(settingsText.contains("\"title\": { value: \"A\", insteadOf: \"Yard\" }"))
    }

    @Test func aChangeThatCannotBeKeptIsMadeAndReported() throws {
        try folder.write("a file", to: "occupied")
        let assembly = try server(in: StateFolder(at: folder.file("occupied/state")))
        defer { assembly.stop() }
        let change = try assembly.change(["title": .text("A")], of: "cam")
        #expect(change.changes == [.changedForNewViewers(path: "cam", options: ["title"])])
        #expect(try #require(change.lossAtRestart).contains("Not a directory"))
        #expect(try setting("title", of: assembly).origin == .settings)
        #expect(lines.text.contains("settings that were changed over HTTP are lost at the next start"))
        #expect(assembly.settingsFile.problem == change.lossAtRestart)
        // The next change keeps this one, too.
        try FileManager.default.removeItem(atPath: folder.file("occupied"))
        #expect(try assembly.change(["title": .text("A")], of: "cam").lossAtRestart == nil)
        #expect(String(decoding: folder.bytes("occupied/state/settings.yml"), as: UTF8.self).contains("value: \"A\""))
        #expect(assembly.settingsFile.problem == nil)
    }

    @Test func withoutAStateFolderTheCallerLearnsThatTheChangeIsLost() throws {
        let (configuration, stated) = try read(Self.camera)
        let assembly = try Assembly(configuration, stated: stated, log: log)
        defer { assembly.stop() }
        let loss = try assembly.change(["title": .text("A")], of: "cam").lossAtRestart
        #expect(loss == "there is no folder for them, because STATE_DIRECTORY, XDG_STATE_HOME and HOME are not set")
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount")) func aFullDiskKeepsTheFormerFile() async throws {
        let place = folder.file("small")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let mounted = try await Command.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", place])
        guard mounted.status == 0 else {
            return withKnownIssue("no tmpfs here") { Issue.record("\(mounted.diagnostics)") }
        }
        defer { umount2(place, Int32(MNT_DETACH)) }
        let assembly = try server(in: StateFolder(at: place))
        defer { assembly.stop() }
        _ = try assembly.change(["title": .text("A")], of: "cam")
        let former = folder.bytes("small/settings.yml")
        #expect(!former.isEmpty)
        // A partial write is expected.
        try? Data(count: 16_384).write(to: URL(filePath: "\(place)/filler"))
        let loss = try #require(try assembly.change(["title": .text("B")], of: "cam").lossAtRestart)
        #expect(loss.contains("No space left on device"))
        #expect(folder.bytes("small/settings.yml") == former)
        try FileManager.default.removeItem(atPath: "\(place)/filler")
        #expect(try assembly.change(["title": .text("C")], of: "cam").lossAtRestart == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place).sorted() == ["settings.lock", "settings.yml"])
    }

    @Test func twoServersDoNotOverwriteEachOthersSettings() throws {
        let first = try server()
        _ = try first.change(["title": .text("A")], of: "cam")
        let text = settingsText
        let second = try server()
        #expect(second.configuration.paths["cam"]?.title == "Yard")
        #expect(lines.text.contains("another server uses \(stateFolder.path)/settings.yml"))
        let loss = try second.change(["title": .text("B")], of: "cam").lossAtRestart
        #expect(loss?.hasPrefix("another server uses") == true && settingsText == text)
        first.stop()
        // The first has ended: the second one may keep its own.
        #expect(try second.change(["title": .text("C")], of: "cam").lossAtRestart == nil)
        second.stop()
    }

    // MARK: - Commands

    @Test func settingsAreListedMergedAndDropped() throws {
        let assembly = try server()
        defer { assembly.stop() }
        func answer(_ request: SettingsRequest) -> ControlResponse { assembly.answer(.settings(request)) }
        #expect(answer(.list) == .done(["no setting was changed over HTTP"]))
        #expect(answer(.merge) == .done(["# no setting that was changed over HTTP is in use"]))
        _ = try assembly.change(
            ["video.bitrate": .number(4_000_000), "title": .text("A: 1"), "effects.mirror": .flag(true)], of: "cam")
        #expect(
            answer(.list)
                == .done([
                    "paths.cam.effects.mirror: true, instead of false",
                    "paths.cam.title: \"A: 1\", instead of \"Yard\"",
                    "paths.cam.video.bitrate: 4000000, instead of 2000000",
                ]))
        let merged = answer(.merge).lines.map { "\($0)\n" }.joined()
        #expect(
            merged == """
                paths:
                  cam:
                    effects:
                      mirror: true
                    title: "A: 1"
                    video:
                      bitrate: 4000000

                """)
        let (lines, _) = try read(merged)
        #expect(lines.paths["cam"]?.video.bitrate == 4_000_000 && lines.paths["cam"]?.title == "A: 1")
        #expect(answer(.drop(path: "cam", keys: ["video.width"])).isDone == false)
        #expect(answer(.drop(path: "yard", keys: [])) == .refused(["no setting of /yard was changed over HTTP"]))
        // What apus set has changed since stays.
        _ = try assembly.set(["title=B"], of: "cam")
        #expect(
            answer(.drop(path: "/cam", keys: ["video.bitrate", "title"]))
                == .done(["dropped", "/cam: video.bitrate: changed; viewers stay connected"]))
        #expect(assembly.configuration.paths["cam"]?.title == "B")
        #expect(answer(.drop(path: nil, keys: [])).isDone && settingsText.contains("paths: {}"))
        #expect(assembly.configuration.paths["cam"]?.effects.mirror == false)
    }

    @Test func aDroppedSizeMustNotMoveMasks() throws {
        let assembly = try server("paths: { cam: {} }")
        defer { assembly.stop() }
        let mask = SettingValue.list([.list([0, 0, 32, 360].map { .number($0) })])
        _ = try assembly.change(
            ["video.width": .number(640), "video.height": .number(360), "effects.privacyMasks": mask], of: "cam")
        let before = assembly.configuration
        let answer = assembly.answer(.settings(.drop(path: "cam", keys: ["video.width"])))
        #expect(!answer.isDone && answer.lines.joined().contains("would no longer cover what they hide"))
        #expect(assembly.configuration == before)
        #expect(assembly.answer(.settings(.drop(path: "cam", keys: []))).isDone)
        #expect(assembly.configuration.paths["cam"] == Configuration.Path())
    }

    @Test func masksThatWereConfirmedForAnotherSizeStayAfterARestart() throws {
        let yaml = "paths: { cam: { effects: { privacyMasks: [[0, 0, 64, 200]] } } }"
        let first = try server(yaml)
        let mask = SettingValue.list([.list([0, 0, 64, 200].map { .number($0) })])
        _ = try first.change(
            ["video.width": .number(640), "video.height": .number(360), "effects.privacyMasks": mask], of: "cam")
        first.stop()
        let second = try server(yaml)
        defer { second.stop() }
        #expect(second.configuration.paths["cam"]?.video.width == 640, "\(lines.text)")
    }

    @Test func withoutAServerTheStateFolderIsUsed() throws {
        try folder.write(Self.camera, to: "apus.yml")
        let file = folder.file("apus.yml")
        let assembly = try server()
        _ = try assembly.change(["title": .text("A"), "effects.blur": .number(9)], of: "cam")
        #expect(throws: (any Error).self) { try SettingsList.drop(of: nil, [], in: stateFolder) }
        assembly.stop()
        #expect(
            try SettingsList(in: stateFolder, configuration: file).lines == [
                "paths.cam.effects.blur: 9, instead of 0", "paths.cam.title: \"A\", instead of \"Yard\"",
            ])
        try SettingsList.drop(of: "cam", ["effects.blur"], in: stateFolder)
        #expect(
            try SettingsList(in: stateFolder, configuration: file).configurationLines == [
                "paths:", "  cam:", "    title: \"A\"",
            ])
    }

    @Test func theCheckShowsWhereEachValueComesFrom() throws {
        try folder.write("users: { ann: { password: secret } }\n\(Self.camera)", to: "apus.yml")
        let assembly = try server()
        _ = try assembly.change(["title": .text("A")], of: "cam")
        assembly.stop()
        let review = try ConfigurationReview(
            of: folder.file("apus.yml"), opensSources: false, stateFolder: stateFolder)
        #expect(review.settingsText == "changed over HTTP: paths.cam.title: \"A\", instead of \"Yard\"\n")
        #expect(review.configuration.paths["cam"]?.title == "A" && review.errors.isEmpty)
        let values = review.valuesText.split(separator: "\n").map(String.init)
        for line in [
            "server.port: 8554  (default)", "paths.cam.title: \"A\"  (settings.yml)",
            "paths.cam.video.bitrate: 2000000  (\(folder.file("apus.yml")):2)",
            "paths.cam.video.width: 1280  (default)",
            "users.ann.password: …  (\(folder.file("apus.yml")):1)", "paths.cam.forward: []  (default)",
        ] {
            #expect(values.contains(line), "\(line)")
        }
        #expect(!review.valuesText.contains("secret"))
        try folder.write("paths: 1", to: "state/settings.yml")
        let damaged = try ConfigurationReview(of: nil, opensSources: false, stateFolder: stateFolder)
        #expect(damaged.errors.map(\.message).joined().contains("settings.yml:1:8: paths: expects names with values"))
        #expect(folder.bytes("state/settings.yml") == Array("paths: 1".utf8), "the check writes nothing")
    }
}

extension Assembly {
    fileprivate var configuration: Configuration { state.withLock { $0.configuration } }
}

/// The lines of a log.
private final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        Logger(label: "test") { label in
            LineLogHandler(label: label, threshold: LogThreshold(.debug), isTerminal: false) { line in
                self.lines.withLock { $0.append(line) }
            }
        }
    }
}
