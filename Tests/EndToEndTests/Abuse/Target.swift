import Foundation
import Synchronization
import TestSupport
import Testing

/// The server under attack, whom two watch.
final class Target: Sendable {
    let setting: Setting
    let server: ServerProcess
    let tlsPort: Int
    let folder: TemporaryFolder
    /// What decides who may watch, if the setting has it so.
    let webServer: WebServer?
    private let addressCount = Mutex(0)
    private let watchers = Mutex<[Watcher]>([])

    private init(
        _ setting: Setting, _ server: ServerProcess, tlsPort: Int, in folder: TemporaryFolder, _ webServer: WebServer?
    ) {
        (self.setting, self.server, self.tlsPort, self.folder) = (setting, server, tlsPort, folder)
        self.webServer = webServer
    }

    /// Never answers about paths that begin with `slow`, refuses those that begin with `refused`, and admits all others.
    private static func webServer(for setting: Setting) throws -> WebServer? {
        guard setting.decision == .callback else { return nil }
        return try WebServer { body in
            body.contains("\"path\":\"slow") ? nil : body.contains("\"path\":\"refused") ? 401 : 204
        }
    }

    /// How long the web server may take, in milliseconds.
    static let callbackMilliseconds = 3_000

    /// Descriptors that the server may have: so few that attackers can take them all.
    static let descriptorLimit = 256

    /// Starts a server, has two watch it, and lets `body` attack.
    static func withTarget(_ setting: Setting, _ body: (Target) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let certificate = try await Command.run(
            [ServerProcess.binary(), "certificate", "--folder", folder.path, "--host", "127.0.0.1"])
        guard certificate.status == 0, mkfifo(folder.file("late"), 0o600) == 0 else {
            throw Command.Failure.cannotStart(certificate.diagnostics)
        }
        let port = try LoopbackSocket.freePort()
        let webServer = try webServer(for: setting)
        defer { webServer?.stop() }
        let callback = webServer.map {
            ", httpCallback: '\($0.url)', httpCallbackMilliseconds: \(callbackMilliseconds), httpCallbackExcept: [cam, hall]"
        }
        try folder.write(
            setting.configuration(tlsPort: port, in: folder.path, callback: callback ?? ""), to: "apus.yml")
        let server = try await ServerProcess.start(
            ["--config", folder.file("apus.yml")],
            prefix: ["bash", "-c", "ulimit -n \(descriptorLimit); exec \"$@\"", "apus"])
        let target = Target(setting, server, tlsPort: port, in: folder, webServer)
        do {
            try await target.beWatched()
            try await body(target)
        } catch {
            target.watchers.withLock { $0 }.forEach { $0.stop() }
            await server.stop()
            throw error
        }
        target.watchers.withLock { $0 }.forEach { $0.stop() }
        await server.stop()
    }

    private func beWatched() async throws {
        // The others are described at once, since they are all test cards.
        _ = try await eventually(within: 15) { try logIn().request("DESCRIBE", url("hall")).status == 200 }
        try joinGroup()
        watchers.withLock { $0 = [Watcher(over: .udp, of: self), Watcher(over: .tcp, of: self)] }
        guard await eventually(within: 10, { records.allSatisfy { $0.packetCount > 10 } }) else {
            throw Breach(description: "nobody can watch: \(complaints) \(server.log.suffix(1_000))")
        }
    }

    /// Sets up a multicast session and ends it. The first one has the language's runtime open three descriptors for its
    /// timers (epoll, eventfd, timerfd), which are no attacker's.
    private func joinGroup() throws {
        let socket = try logInInTheClear(as: .viewer)
        let answer = try socket.request("SETUP", clearURL("hall/track1"), ["Transport": "RTP/AVP;multicast"])
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        _ = try socket.request("TEARDOWN", clearURL("hall"), ["Session": id])
    }

    /// What the two have seen, UDP's first.
    var records: [Watcher.Record] { watchers.withLock { $0 }.map(\.seen) }
    var complaints: [String] { records.flatMap(\.complaints) }

    /// The same, and they are told no more.
    func takeComplaints() -> [String] { watchers.withLock { $0 }.flatMap { $0.takeComplaints() } }

    // MARK: - Ways to it

    /// The port that attackers come to.
    var port: Int { setting.isEncrypted ? tlsPort : server.port }

    /// By the way that attackers come.
    func url(_ path: String = "hall", user: String = "") -> String {
        "\(setting.isEncrypted ? "rtsps" : "rtsp")://\(user)127.0.0.1:\(port)/\(path)"
    }

    func clearURL(_ path: String = "hall") -> String { server.url(path) }

    /// An address of this host that nobody has come from.
    func freshAddress() -> String {
        addressCount.withLock { count in
            count += 1
            return "127.1.\(count / 250).\(count % 250 + 1)"
        }
    }

    func connect(from address: String? = nil, bufferByteCount: Int32? = nil) throws -> RTSPSocket {
        let socket = try LoopbackSocket(port: port, from: address, bufferByteCount: bufferByteCount)
        return RTSPSocket(over: setting.isEncrypted ? try TLSStream(over: socket) : socket)
    }

    /// A connection whose requests prove to be somebody's, where they have to.
    func logIn(
        as account: Account = .viewer, from address: String? = nil, bufferByteCount: Int32? = nil
    ) throws -> RTSPSocket {
        let socket = try connect(from: address, bufferByteCount: bufferByteCount)
        logIn(socket, as: account)
        // So that requests that are written by hand have what they need, too.
        if setting.hasUsers { _ = try socket.request("GET_PARAMETER", "*") }
        return socket
    }

    func logInInTheClear(as account: Account, from address: String? = nil) throws -> RTSPSocket {
        let socket = RTSPSocket(over: try LoopbackSocket(port: server.port, from: address))
        logIn(socket, as: account)
        return socket
    }

    private func logIn(_ socket: RTSPSocket, as account: Account) {
        guard setting.hasUsers else { return }
        socket.login = { Digest(account, answering: $2).authorization($0, $1) }
    }

    /// A session that has been set up over TCP, on channels 0 and 1.
    func setUp(_ path: String = "hall", on socket: RTSPSocket) throws -> (track: String, session: [String: String]) {
        let answer = try socket.request("SETUP", url("\(path)/track1"), ["Transport": Self.interleaved(0)]).expect(200)
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        return (url("\(path)/track1"), ["Session": id])
    }

    static func interleaved(_ channel: Int) -> String {
        "RTP/AVP/TCP;unicast;interleaved=\(channel)-\(channel + 1)"
    }

    // MARK: - What it has

    var descriptorCount: Int {
        // It has ended then, which is told elsewhere.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.command.processID)/fd").count) ?? 0
    }

    /// Kilobytes of its own: without what it shares with other programs.
    var memory: Int {
        let status = try? String(contentsOfFile: "/proc/\(server.command.processID)/status", encoding: .utf8)
        return status?.firstMatch(of: /RssAnon:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
    }

    /// Hundredths of seconds that its threads of that name have worked.
    func work(ofThreadsNamed name: String) -> Int { server.work(ofThreadsNamed: name) }
}

/// Looks at `condition` every 10 ms until it holds, on a thread that may block.
func soon(within seconds: Double = 3, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        pause(0.01)
    }
}
