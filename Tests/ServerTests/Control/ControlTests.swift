import Foundation
import Logging
import Reactor
import TestSupport
import Testing

@testable import Server

/// The control socket: permissions, requests, and clients that try to block it.
@Suite(.serialized)
struct ControlTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("control") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a server that answers with the assignments of the request, while `body` runs.
    private func serving(
        timeout: Int64 = 5_000_000_000, _ body: (ControlSocketPath) async throws -> Void
    ) async throws {
        let server = try ControlServer(
            at: path, timeout: timeout, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { request in
            guard case .set(_, let assignments) = request else { return .refused([]) }
            return .done(assignments)
        }
        try server.start()
        defer {
            server.stop()
            #expect(server.join(until: .now() + .seconds(5)))
        }
        var configuration = Configuration()
        configuration.control.socket = path
        try await body(try #require(ControlSocketPath(configuration)))
    }

    /// The bytes of a connection until its end.
    private func rest(of socket: borrowing UnixSocket) -> String {
        var bytes: [UInt8] = []
        while socket.waitToRead(milliseconds: 5_000), case .bytes(let more) = socket.read(atMost: 4_096) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func refusal(to bytes: [UInt8]) throws -> String {
        let socket = try UnixSocket(connectingTo: path)
        var left = bytes[...]
        while !left.isEmpty, case .wrote(let count) = socket.write(left) { left = left.dropFirst(count) }
        let text = rest(of: socket)
        let answer = try JSONDecoder().decode(ControlResponse.self, from: Data(text.utf8))
        #expect(!answer.isDone && text.hasSuffix("\n"))
        return answer.lines.joined()
    }

    @Test func aRequestIsAnsweredAndTheConnectionEnds() async throws {
        try await serving { place in
            let answer = try ControlClient.ask(.set(path: "cam", assignments: ["title=a", "b\n\"c"]), at: [place])
            #expect(answer == .done(["title=a", "b\\u{a}\"c"]))
            let socket = try UnixSocket(connectingTo: path)
            // In two parts, and followed by more bytes.
            _ = socket.write(Array("{\"set\":{\"path\":\"cam\",".utf8)[...])
            _ = socket.write(Array("\"assignments\":[]}}\n{}\n".utf8)[...])
            #expect(rest(of: socket) == "{\"isDone\":true,\"lines\":[]}\n")
        }
    }

    @Test func garbageIsRefusedAndOtherClientsAreServed() async throws {
        try await serving { place in
            let garbage = [
                "", "{}", "[", "null", "{\"dance\":{}}", "{\"set\":{}}", String(repeating: "[", count: 60_000),
            ]
            for text in garbage {
                let answer = try refusal(to: Array("\(text)\n".utf8))
                #expect(answer.contains("does not know"), "\(text.prefix(20))")
            }
            #expect(try refusal(to: [0xFF, 0x00, 0xC3, 0x0A]).contains("does not know"))
            #expect(try ControlClient.ask(.set(path: "cam", assignments: []), at: [place]).isDone)
        }
    }

    @Test func anEndlessLineIsCutOffAt64Kilobytes() async throws {
        try await serving { place in
            let answer = try refusal(to: [UInt8](repeating: 0x20, count: 300_000))
            #expect(answer.contains("65536"))
            let long = ControlRequest.set(path: "cam", assignments: [String(repeating: "x", count: 65_536)])
            #expect(throws: ControlFailure.self) { try ControlClient.ask(long, at: [place]) }
        }
    }

    @Test func aClientThatSendsHalfALineIsDisconnected() async throws {
        try await serving(timeout: 100_000_000) { place in
            let silent = try UnixSocket(connectingTo: path)
            let half = try UnixSocket(connectingTo: path)
            _ = half.write(Array("{\"set\":".utf8)[...])
            #expect(try ControlClient.ask(.set(path: "cam", assignments: []), at: [place]).isDone)
            #expect(rest(of: half).contains("in time"))
            #expect(rest(of: silent).contains("in time"))
        }
    }

    @Test func sixteenClientsMayConnectAndTheNextIsRejected() async throws {
        try await serving { place in
            var crowd: [ControlCaller] = []
            for _ in 0..<ControlServer.maximumClients { crowd.append(try ControlCaller(path)) }
            // Connections are accepted in order.
            let late = try UnixSocket(connectingTo: path)
            #expect(rest(of: late).contains("16 clients"))
            crowd.removeAll()
            #expect(
                try await eventually(within: 20) {
                    try ControlClient.ask(.set(path: "a", assignments: []), at: [place]).isDone
                })
        }
    }

    @Test func onlyRootAndTheUserOfTheServerMayConnect() {
        #expect(ControlServer.mayControl(1000, to: 1000))
        #expect(ControlServer.mayControl(0, to: 1000))
        #expect(!ControlServer.mayControl(1001, to: 1000))
        #expect(!ControlServer.mayControl(1000, to: 0))
    }

    /// The file mode of the socket keeps other users out. If the mode was changed, the server checks the user ID of the client.
    @Test(
        .enabled(if: geteuid() == 0 && Command.exists("setpriv") && Command.exists("python3"), "needs root and python3")
    )
    func otherUsersAreRejectedByFileModeAndByUserID() async throws {
        try await serving { _ in
            #expect(chmod(folder.path, 0o755) == 0)
            let script =
                "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(999))"
            let nobody = ["setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/env", "python3", "-c", script, path]
            let shut = try await Command.run(nobody)
            #expect(shut.errors.contains("PermissionError"), "\(shut.diagnostics)")
            #expect(chmod(path, 0o666) == 0)
            let open = try await Command.run(nobody)
            #expect(open.text.contains("only root and the user that runs the server"), "\(open.diagnostics)")
        }
    }

    @Test func theSocketBelongsToItsOwnerAndIsRemovedWithTheServer() async throws {
        try await serving { _ in
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
        }
        #expect(access(path, F_OK) != 0)
        var configuration = Configuration()
        configuration.control.socket = path
        let place = try #require(ControlSocketPath(configuration))
        let failure = #expect(throws: ControlFailure.self) {
            try ControlClient.ask(.set(path: "", assignments: []), at: [place])
        }
        #expect(failure?.description.contains("no server listens at \(path)") == true)
    }

    @Test func thePathFollowsFromUserPortAndConfiguration() throws {
        var configuration = Configuration()
        configuration.server.port = 554
        let table: [(UInt32, String?, String)] = [
            (0, nil, "/run/apus/control-554"), (0, "/run/user/1000", "/run/apus/control-554"),
            (1000, "/run/user/1000", "/run/user/1000/apus/control-554"), (1000, nil, "/run/apus/control-554"),
            (1000, "", "/run/apus/control-554"), (1000, "here", "/run/apus/control-554"),
        ]
        for (user, folder, path) in table {
            #expect(ControlSocketPath(configuration, user: user, runtimeFolder: folder)?.path == path)
        }
        configuration.control.socket = "/srv/apus"
        #expect(ControlSocketPath(configuration, user: 1000, runtimeFolder: nil)?.path == "/srv/apus")
        configuration.control.socket = ""
        #expect(ControlSocketPath(configuration, user: 0, runtimeFolder: nil) == nil)
        for wrong in ["control", "/\(String(repeating: "a", count: 107))"] {
            #expect(throws: ConfigurationFailure.self) {
                try Configuration(yaml: "control: { socket: \(wrong) }", file: "apus.yml")
            }
        }
    }

    @Test func aCommandTriesAllUsualPaths() throws {
        let logins = folder.file("user")
        for user in ["1000", "993", "lost+found"] {
            try FileManager.default.createDirectory(atPath: "\(logins)/\(user)", withIntermediateDirectories: true)
        }
        func places(_ user: UInt32, _ runtimeFolder: String?, _ configuration: Configuration = .init()) -> [String] {
            ControlSocketPath.all(configuration, user: user, runtimeFolder: runtimeFolder, logins: logins).map(\.path)
        }
        let (system, pi, other) = (
            "/run/apus/control-8554", "\(logins)/1000/apus/control-8554", "\(logins)/993/apus/control-8554"
        )
        #expect(places(1000, "\(logins)/1000") == [pi, system])
        #expect(places(1000, "/srv/pi") == ["/srv/pi/apus/control-8554", system, pi])
        for none in [nil, "", "here"] { #expect(places(1000, none) == [system, pi]) }
        #expect(places(0, nil) == [system, other, pi])
        // The environment of `sudo --preserve-env`.
        #expect(places(0, "\(logins)/1000") == [system, pi, other])
        var configuration = Configuration()
        configuration.control.socket = "/srv/apus"
        #expect(places(0, nil, configuration) == ["/srv/apus"])
        configuration.control.socket = ""
        #expect(places(0, nil, configuration).isEmpty)
    }

    @Test func theFirstPathWithAServerIsUsed() async throws {
        let silent = try [folder.file("one"), folder.file("two")].map(Self.place)
        try await serving { place in
            let answer = try ControlClient.ask(.set(path: "cam", assignments: ["a"]), at: silent + [place])
            #expect(answer == .done(["a"]))
        }
        let failure = #expect(throws: ControlFailure.self) {
            try ControlClient.ask(.set(path: "cam", assignments: []), at: silent)
        }
        #expect(
            failure?.description
                == "no server listens at \(folder.file("one")) or \(folder.file("two")); if one is running, "
                + "repeat its --port or --config here")
    }

    private static func place(_ path: String) throws -> ControlSocketPath {
        var configuration = Configuration()
        configuration.control.socket = path
        return try #require(ControlSocketPath(configuration))
    }

    @Test func aRequestInProgressDoesNotDelayTheStop() async throws {
        let (asked, isFreed) = (Semaphore(), Semaphore())
        let server = try ControlServer(
            at: path, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in
            asked.signal()
            isFreed.wait()
            return .done([])
        }
        try server.start()
        let socket = try UnixSocket(connectingTo: path)
        _ = socket.write(Array("{\"set\":{\"path\":\"cam\",\"assignments\":[]}}\n".utf8)[...])
        asked.wait()
        server.stop()
        #expect(!server.join(until: .now() + .milliseconds(20)))
        isFreed.signal()
        #expect(server.join(until: .now() + .seconds(5)))
        #expect(access(path, F_OK) != 0)
    }

    @Test func theFolderIsCreatedForOneUserAndForeignFoldersAreRefused() throws {
        var configuration = Configuration()
        configuration.control.socket = folder.file("new/control")
        let place = try #require(ControlSocketPath(configuration))
        try place.prepareFolder()
        try place.prepareFolder()
        var status = stat()
        #expect(stat(folder.file("new"), &status) == 0 && status.st_mode == S_IFDIR | 0o700)
        #expect(chmod(folder.file("new"), 0o777) == 0)
        #expect(throws: ControlFailure.self) { try place.prepareFolder() }
        #expect(chmod(folder.file("new"), 0o1777) == 0)
        try place.prepareFolder()
        configuration.control.socket = folder.file("no/such/control")
        #expect(throws: ControlFailure.self) { try #require(ControlSocketPath(configuration)).prepareFolder() }
    }

    @Test func aServerWithoutControlSocketServesAndLogsTheReason() async throws {
        try folder.write("mine", to: "control")
        var configuration = Configuration()
        (configuration.server.port, configuration.http.port, configuration.control.socket) = (0, 0, path)
        (configuration.rtp.firstUDPPort, configuration.rtp.lastUDPPort) = (20_000, 24_000)
        let lines = Lines()
        let assembly = try Assembly(configuration, log: lines.logger)
        try assembly.start()
        #expect(
            lines.all.filter { $0.contains("no control socket") && $0.contains("\(path) is not a socket") }.count == 1)
        #expect(assembly.componentStatus.contains { $0 == ("the RTSP server", .running) })
        assembly.stop()
        #expect(assembly.componentStatus.allSatisfy { $0.status == .stopped })
        #expect(assembly.componentStatus.map(\.name).last == "the control socket")
    }

    @Test func aServerNeedsNoControlSocket() throws {
        var configuration = Configuration()
        (configuration.server.port, configuration.http.port, configuration.control.socket) = (0, 0, "")
        (configuration.rtp.firstUDPPort, configuration.rtp.lastUDPPort) = (20_000, 24_000)
        let lines = Lines()
        let assembly = try Assembly(configuration, log: lines.logger)
        try assembly.start()
        defer { assembly.stop() }
        #expect(!assembly.componentStatus.contains { $0.name == "the control socket" })
        #expect(!lines.all.contains { $0.contains("control socket") })
    }
}

/// A connection that can be kept in an array.
private final class ControlCaller {
    private let socket: UnixSocket

    init(_ path: String) throws {
        socket = try UnixSocket(connectingTo: path)
    }
}
