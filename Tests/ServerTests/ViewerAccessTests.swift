import Foundation
import Logging
import RTSP
import Reactor
import TestSupport
import Testing

@testable import Server

/// Who watches while the configuration has no users.
struct ViewerAccessTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func configuration(_ yaml: String) throws -> Configuration {
        try Configuration(yaml: yaml, file: "apus.yml")
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func aPasswordIsOfLettersThatEveryClientKeepsAndNoneIsLikeAnother() {
        let passwords = (0..<200).map { _ in ViewerPassword.random() }
        for password in passwords {
            #expect(ViewerPassword(password.text) == password && password.text.utf8.count == 14)
            #expect(password.text.utf8.allSatisfy { !"lo01".utf8.contains($0) })
            #expect(!"\(password)".contains(password.text))
        }
        #expect(Set(passwords).count == passwords.count)
        #expect(Set(passwords.flatMap { Array($0.text) }).count == 32, "each of 32 letters in 2800")
    }

    @Test(arguments: ["", "short77", "Capital77", "with blank", "ümlaut77", String(repeating: "a", count: 65)])
    func whatURLsOrVLCWouldChangeIsNoPassword(text: String) {
        #expect(ViewerPassword(text) == nil)
    }

    @Test(
        arguments: [
            (["STATE_DIRECTORY": "/s/apus:/s/other", "HOME": "/h"], 0, "/s/apus"), ([:], 0, "/var/lib/apus"),
            (["HOME": "/root"], 0, "/var/lib/apus"), (["XDG_STATE_HOME": "/x", "HOME": "/h"], 7, "/x/apus"),
            (["HOME": "/h"], 7, "/h/.local/state/apus"),
            (["XDG_STATE_HOME": "x", "HOME": "/h"], 7, "/h/.local/state/apus"),
            ([:], 7, nil), (["STATE_DIRECTORY": "", "HOME": "h"], 7, nil),
        ] as [([String: String], UInt32, String?)])
    func stateLiesWhereServicesAndUsersHaveIt(environment: [String: String], user: UInt32, path: String?) {
        #expect(StateFolder(environment, user: user)?.path == path)
    }

    @Test func thePasswordOfTheFirstStartIsThatOfAllForItsOwnerAlone() throws {
        let temporary = try TemporaryFolder()
        let folder = try #require(StateFolder(["STATE_DIRECTORY": temporary.file("a/state")], user: 7))
        let first = ViewerAccess(keptIn: folder, log: log)
        #expect(first.file == temporary.file("a/state/viewer-password"))
        #expect(ViewerAccess(keptIn: folder, log: log).password == first.password)
        #expect(try folder.keep(.random()) == first.password, "of two servers that start together")
        #expect(try mode(folder.passwordFile) == 0o600 && mode(folder.path) == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["viewer-password"])
        try temporary.write("mine7777\n", to: "a/state/viewer-password")
        #expect(ViewerAccess(keptIn: folder, log: log).password.text == "mine7777")
    }

    @Test func whereNothingCanBeKeptThereIsAPasswordForThisRun() throws {
        let temporary = try TemporaryFolder()
        try temporary.write("", to: "file")
        try temporary.write("No password\n", to: "viewer-password")
        for folder in [
            StateFolder(["STATE_DIRECTORY": temporary.file("file/state")], user: 7),
            StateFolder(["STATE_DIRECTORY": temporary.path], user: 7), nil,
        ] {
            let (one, other) = (ViewerAccess(keptIn: folder, log: log), ViewerAccess(keptIn: folder, log: log))
            #expect(one.file == nil && one.password != other.password)
        }
        #expect(temporary.bytes("viewer-password") == Array("No password\n".utf8), "it is somebody's")
    }

    @Test(arguments: [
        ("", true, false), ("access: { open: true }", false, true), ("users: { ann: { password: x } }", false, false),
        ("{ users: { ann: { password: x } }, access: { open: true } }", false, false),
        ("server: { address: 127.0.0.1 }", false, false), ("server: { address: '::1' }", false, false),
        ("server: { address: 0.0.0.0 }", true, false), ("access: { deny: 10.0.0.0/8 }", true, false),
    ])
    func otherHostsNeedThePasswordUnlessThereAreUsersOrItIsOpen(yaml: String, isNeeded: Bool, isOpen: Bool) throws {
        let configuration = try configuration(yaml)
        #expect(configuration.needsViewerPassword == isNeeded && configuration.isOpen == isOpen)
        let policy = AccessPolicy(configuration, viewer: .random())
        #expect((policy == nil) == isOpen)
        #expect(policy?.loopback == (isOpen ? nil : configuration.users.isEmpty ? .free : .asOthers))
    }

    @Test func addressListsHoldWhereItIsOpen() throws {
        let open = try configuration("access: { open: true, deny: 10.0.0.0/8 }")
        #expect(AccessPolicy(open, viewer: .random())?.addresses.admits(IPAddress("10.0.0.1")) == false)
    }

    @Test func theNoticeHasThePasswordInTheURLsOfOtherHosts() throws {
        let viewer = ViewerAccess(keptIn: nil, log: log)
        let notice = StartupNotice(
            listeners: [], streams: [.init(path: "/cam", label: "test card")], port: 8554,
            hosts: try ["localhost", "192.0.2.7", "2001:db8::7"].map { try #require(URLHost($0)) },
            access: .viewer(viewer))
        let urls = notice.text.matches(of: /rtsp:\/\/\S+/).map { String($0.output) }
        let with = "rtsp://viewer:\(viewer.password.text)@"
        #expect(
            Set(urls) == [
                "rtsp://localhost:8554/cam", "rtsp://127.0.0.1:8554/cam", "\(with)192.0.2.7:8554/cam",
                "\(with)[2001:db8::7]:8554/cam",
            ])
        #expect(notice.text.contains("it is another at each start"))
    }

    @Test func theNoticeSaysWhatOpenMeans() {
        let notice = StartupNotice(listeners: [], streams: [], port: 8554, hosts: [.local], access: .open)
        #expect(notice.text.contains("*** OPEN TO EVERYBODY"))
    }

    @Test func thePlaylistHasItToo() throws {
        let viewer = ViewerPassword.random()
        let playlist = try configuration("").playlist(
            of: "cam", hosts: try ["127.0.0.1", "192.0.2.7", "cam.example"].map { try #require(URLHost($0)) },
            viewer: viewer, cachingMilliseconds: 250)
        #expect(
            playlist.urls == [
                "rtsp://127.0.0.1:8554/cam", "rtsp://viewer:\(viewer.text)@192.0.2.7:8554/cam",
                "rtsp://viewer:\(viewer.text)@cam.example:8554/cam",
            ])
    }
}
