import Foundation
import Logging
import RTSP
import Reactor
import TestSupport
import Testing

@testable import Server

/// Access if the configuration has no users.
struct GeneratedAccessTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func configuration(_ yaml: String) throws -> Configuration {
        try Configuration(yaml: yaml, file: "apus.yml")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func passwordsAreDistinctAndUseLettersThatEveryClientKeeps() {
        let passwords = (0..<200).map { _ in GeneratedPassword.random() }
        for password in passwords {
            #expect(GeneratedPassword(password.text) == password && password.text.utf8.count == 14)
            #expect(password.text.utf8.allSatisfy { !"lo01".utf8.contains($0) })
            #expect(!"\(password)".contains(password.text))
        }
        #expect(Set(passwords).count == passwords.count)
        #expect(Set(passwords.flatMap { Array($0.text) }).count == 32, "each of 32 letters in 2800")
    }

    @Test(arguments: ["", "short77", "Capital77", "with blank", "ümlaut77", String(repeating: "a", count: 65)])
    func passwordsThatURLsOrVLCWouldChangeAreRefused(text: String) {
        #expect(GeneratedPassword(text) == nil)
    }

    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/s/apus:/s/other", "HOME": "/h"], 0, "/s/apus"), ([:], 0, "/var/lib/apus"),
            (["HOME": "/root"], 0, "/var/lib/apus"), (["XDG_STATE_HOME": "/x", "HOME": "/h"], 7, "/x/apus"),
            (["HOME": "/h"], 7, "/h/.local/state/apus"),
            (["XDG_STATE_HOME": "x", "HOME": "/h"], 7, "/h/.local/state/apus"),
            ([:], 7, nil), (["STATE_DIRECTORY": "", "HOME": "h"], 7, nil),
        ] as [([String: String], UInt32, String?)])
    func theStateFolderFollowsFromTheEnvironment(environment: [String: String], user: UInt32, path: String?) {
        #expect(StateFolder(environment, user: user)?.path == path)
    }

    @Test func thePasswordOfTheFirstStartIsKeptForItsOwnerOnly() throws {
        let temporary = try TemporaryFolder()
        let folder = try #require(StateFolder(["STATE_DIRECTORY": temporary.file("a/state")], user: 7))
        let first = try GeneratedAccess(keptIn: folder, log: log)
        #expect(first.file == temporary.file("a/state/viewer-password"))
        #expect(try GeneratedAccess(keptIn: folder, log: log).password == first.password)
        #expect(try folder.keep(.random()) == first.password, "of two servers that start together")
        #expect(try mode(folder.passwordFile()) == 0o600 && mode(folder.path) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["viewer-password"])
        try temporary.write("mine7777\n", to: "a/state/viewer-password")
        #expect(try GeneratedAccess(keptIn: folder, log: log).password.text == "mine7777")
    }

    @Test func withoutAFolderThereIsAPasswordForThisRun() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("", to: "file")
        for folder in [StateFolder(["STATE_DIRECTORY": temporary.file("file/state")], user: 7), nil] {
            let one = try GeneratedAccess(keptIn: folder, log: log)
            let other = try GeneratedAccess(keptIn: folder, log: log)
            #expect(one.file == nil && one.password != other.password)
        }
    }

    @Test(arguments: ["No password\n", "Secret77\n", "short\n", ""])
    func aFileWithAnInvalidPasswordIsAnErrorAndIsNotChanged(text: String) throws {
        let temporary = try TemporaryFolder()
        try temporary.write(text, to: "viewer-password")
        let folder = StateFolder(at: temporary.path)
        let failure = #expect(throws: StateFailure.self) { try GeneratedAccess(keptIn: folder, log: log) }
        #expect(
            failure?.description.contains("does not contain a password of 8 to 64 lower-case letters and digits")
                == true)
        #expect(temporary.bytes("viewer-password") == Array(text.utf8))
    }

    @Test func theServerDoesNotStartWithAMalformedPassword() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("Secret77\n", to: "viewer-password")
        var configuration = Configuration()
        configuration.server.port = 0
        configuration.http.port = 0
        let log = log
        let failure = #expect(throws: Assembly.Failure.self) {
            try Assembly(configuration, log: log) { (user) throws(StateFailure) in
                try GeneratedAccess(keptIn: StateFolder(at: temporary.path), of: user, log: log)
            }
        }
        #expect(
            failure?.isPermanent == true && failure?.description.contains("viewer-password does not contain") == true)
    }

    /// A forwarder on this host makes remote clients look like local ones.
    @Test func loopbackClientsNeedThePasswordIfTheConfigurationSaysSo() throws {
        let asked = try configuration("access: { loopback: password }")
        #expect(asked.needsViewerPassword)
        #expect(AccessPolicy(asked, viewer: .random())?.loopback == .asOthers)
        let alone = try configuration("{ server: { address: 127.0.0.1 }, access: { loopback: password } }")
        #expect(alone.needsViewerPassword)
        #expect(AccessPolicy(try configuration("access: { loopback: free }"), viewer: .random())?.loopback == .free)
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration("access: { loopback: password, open: true }")
        }
        #expect(failure?.description.contains("access.loopback: is password, but access.open") == true)
    }

    @Test(arguments: [
        ("", true, false), ("access: { open: true }", false, true), ("users: { ann: { password: x } }", false, false),
        ("{ users: { ann: { password: x } }, access: { open: true } }", false, false),
        ("server: { address: 127.0.0.1 }", false, false), ("server: { address: '::1' }", false, false),
        ("server: { address: 0.0.0.0 }", true, false), ("access: { deny: 10.0.0.0/8 }", true, false),
    ])
    func otherHostsNeedThePasswordUnlessThereAreUsersOrAccessIsOpen(yaml: String, isNeeded: Bool, isOpen: Bool) throws {
        let configuration = try configuration(yaml)
        #expect(configuration.needsViewerPassword == isNeeded && configuration.isOpen == isOpen)
        let policy = AccessPolicy(configuration, viewer: .random())
        #expect((policy == nil) == isOpen)
        #expect(policy?.loopback == (isOpen ? nil : configuration.users.isEmpty ? .free : .asOthers))
    }

    @Test func addressListsApplyToOpenAccess() throws {
        let open = try configuration("access: { open: true, deny: 10.0.0.0/8 }")
        #expect(AccessPolicy(open, viewer: .random())?.addresses.admits(IPAddress("10.0.0.1")) == false)
    }

    @Test func theNoticeHasThePasswordInURLsOfOtherHosts() throws {
        let viewer = try GeneratedAccess(keptIn: nil, log: log)
        let notice = StartupNotice(
            listeners: [], streams: [.init(path: "/cam", label: "test card")], port: 8554,
            hosts: try ["localhost", "192.0.2.7", "2001:db8::7"].map { try #require(URLHost($0)) },
            access: .viewer(viewer))
        let text = notice.text(for: .terminal)
        let urls = text.matches(of: /rtsp:\/\/\S+/).map { String($0.output) }
        let with = "rtsp://viewer:\(viewer.password.text)@"
        #expect(
            Set(urls) == [
                "rtsp://localhost:8554/cam", "rtsp://127.0.0.1:8554/cam", "\(with)192.0.2.7:8554/cam",
                "\(with)[2001:db8::7]:8554/cam",
            ])
        #expect(text.contains("it changes at each start"))
    }

    /// Other users can read the journal.
    @Test func theNoticeInTheJournalNamesTheFileInsteadOfThePassword() throws {
        let temporary = try TemporaryFolder()
        let hosts = try ["localhost", "192.0.2.7"].map { try #require(URLHost($0)) }
        for folder in [StateFolder(at: temporary.path), nil] {
            let viewer = try GeneratedAccess(keptIn: folder, log: log)
            let notice = StartupNotice(
                listeners: [], streams: [.init(path: "/cam", label: "test card")], port: 8554, tlsPort: 8322,
                hosts: hosts, access: .viewer(viewer))
            let text = notice.text(for: .log)
            #expect(!text.contains(viewer.password.text))
            #expect(text.contains("rtsp://localhost:8554/cam"))
            #expect(text.contains("rtsp://viewer:PASSWORD@192.0.2.7:8554/cam"))
            #expect(text.contains("rtsps://viewer:PASSWORD@192.0.2.7:8322/cam"))
            #expect(
                text.contains(
                    folder.map { "stored in \($0.passwordFile()): write it instead of PASSWORD" }
                        ?? "on a terminal only")
            )
        }
    }

    @Test func theNoticeHasThePasswordForThisHostIfItNeedsIt() throws {
        let viewer = try GeneratedAccess(keptIn: nil, log: log)
        let notice = StartupNotice(
            listeners: [], streams: [.init(path: "/cam", label: "test card")], port: 8554, hosts: [.local],
            access: .viewer(viewer, loopback: .asOthers))
        #expect(notice.text(for: .terminal).contains("rtsp://viewer:\(viewer.password.text)@localhost:8554/cam"))
        #expect(notice.text(for: .terminal).contains("all clients, including those on this host, need the password"))
    }

    @Test func theNoticeWarnsAboutOpenAccess() {
        let notice = StartupNotice(listeners: [], streams: [], port: 8554, hosts: [.local], access: .open)
        #expect(notice.text(for: .log).contains("*** OPEN TO ALL"))
    }

    @Test func thePlaylistHasThePasswordToo() throws {
        let viewer = GeneratedPassword.random()
        let playlist = try configuration("").playlist(
            of: "cam", hosts: try ["127.0.0.1", "192.0.2.7", "cam.example"].map { try #require(URLHost($0)) },
            login: URLLogin(viewer, isNeededHere: false), cachingMilliseconds: 250)
        #expect(
            playlist.urls == [
                "rtsp://127.0.0.1:8554/cam", "rtsp://viewer:\(viewer.text)@192.0.2.7:8554/cam",
                "rtsp://viewer:\(viewer.text)@cam.example:8554/cam",
            ])
    }
}
