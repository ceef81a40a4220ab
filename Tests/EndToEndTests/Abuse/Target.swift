import Foundation
import Synchronization
import TestSupport
import Testing

/// The server under attack, with two viewers.
final class Target: Sendable {
    let setting: Setting
    let server: ServerProcess
    let tlsPort: Int
    let folder: TemporaryFolder
    /// The callback, if the setting has one.
    let webServer: WebServer?
    private let addressCount = Mutex(0)
    private let watchers = Mutex<[Watcher]>([])

    private init(
        _ setting: Setting, _ server: ServerProcess, tlsPort: Int, in folder: TemporaryFolder, _ webServer: WebServer?
    ) {
        (self.setting, self.server, self.tlsPort, self.folder) = (setting, server, tlsPort, folder)
        self.webServer = webServer
    }

    /// Never responds for paths that begin with `slow`, refuses those that begin with `refused`, and admits all others.
    private static func webServer(for setting: Setting) throws -> WebServer? {
        guard setting.decision == .callback else { return nil }
        return try WebServer { body in
            body.contains("\"path\":\"slow") ? nil : body.contains("\"path\":\"refused") ? 401 : 204
        }
    }

    /// The time limit of the callback in milliseconds.
    static let callbackMilliseconds = 3_000

    /// The server's limit on descriptors, so low that attackers can exhaust it.
    static let descriptorLimit = 256

    /// Starts a server with two viewers and calls `body`.
    ///
    /// - Parameter paths: further lines of the configuration's paths.
    static func withTarget(
        _ setting: Setting, paths: String = "", _ body: (Target) async throws -> Void
    ) async throws {
        let folder = try await TemporaryFolder.withCertificate()
        try #require(mkfifo(folder.file("late"), 0o600) == 0)
        let ports = try Setting.Ports()
        let webServer = try webServer(for: setting)
        defer { webServer?.stop() }
        let callback = webServer.map {
            ", httpCallback: '\($0.url)', httpCallbackMilliseconds: \(callbackMilliseconds), httpCallbackExcept: [cam, hall]"
        }
        try folder.write(
            setting.configuration(ports, in: folder.path, callback: callback ?? "") + "\n" + paths,
            to: "apus.yml")
        let server = try await ServerProcess.start(
            ["--config", folder.file("apus.yml")],
            prefix: ["bash", "-c", "ulimit -n \(descriptorLimit); exec \"$@\"", "apus"], hasHTTP: true, hasRTMP: true,
            hasSRT: true)
        let target = Target(setting, server, tlsPort: ports.rtsps, in: folder, webServer)
        do {
            try await target.startWatchers()
            try await body(target)
        } catch {
            target.watchers.withLock { $0 }.forEach { $0.stop() }
            await server.stop()
            throw error
        }
        target.watchers.withLock { $0 }.forEach { $0.stop() }
        await server.stop()
    }

    private func startWatchers() async throws {
        // The other paths are test cards, which are available at once.
        _ = try await eventually(within: 15) { try logIn().request("DESCRIBE", url("hall")).status == 200 }
        try joinGroup()
        // Loads OpenSSL and makes the certificate for WebRTC, which stay in memory.
        if setting.decision != .callback { try withWebRTC { _ in } }
        if setting.hasUsers { try Publisher(of: "live/first", on: self).announce().expect(200) }
        watchers.withLock { $0 = [Watcher(over: .udp, of: self), Watcher(over: .tcp, of: self)] }
        guard await eventually(within: 10, { records.allSatisfy { $0.packetCount > 10 } }) else {
            throw Breach(description: "no viewer can play: \(problems) \(server.log.suffix(1_000))")
        }
    }

    /// Sets up a multicast session and ends it. The first one, and the first path of a publisher, make Swift's runtime open three descriptors for its timers (epoll,
    /// eventfd, timerfd), which would otherwise count against an attack.
    private func joinGroup() throws {
        let socket = try logInInTheClear(as: .viewer)
        let answer = try socket.request("SETUP", clearURL("hall/track1"), ["Transport": "RTP/AVP;multicast"])
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        _ = try socket.request("TEARDOWN", clearURL("hall"), ["Session": id])
    }

    /// The records of the two viewers, UDP first.
    var records: [Watcher.Record] { watchers.withLock { $0 }.map(\.seen) }
    var problems: [String] { records.flatMap(\.problems) }

    /// Returns and clears the problems.
    func takeProblems() -> [String] { watchers.withLock { $0 }.flatMap { $0.takeProblems() } }

    // MARK: - Connections

    /// The port for attackers.
    var port: Int { setting.isEncrypted ? tlsPort : server.port }

    /// The URL for attackers.
    func url(_ path: String = "hall", user: String = "") -> String {
        "\(setting.isEncrypted ? "rtsps" : "rtsp")://\(user)127.0.0.1:\(port)/\(path)"
    }

    func clearURL(_ path: String = "hall") -> String { server.url(path) }

    /// Returns a local address that was not used before.
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

    /// Connects and authenticates, if the setting has users.
    func logIn(
        as account: Account = .viewer, from address: String? = nil, bufferByteCount: Int32? = nil
    ) throws -> RTSPSocket {
        let socket = try connect(from: address, bufferByteCount: bufferByteCount)
        logIn(socket, as: account)
        // Gets the challenge, so that requests written by hand can contain credentials.
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

    /// Sets up a session over TCP on channels 0 and 1.
    func setUp(_ path: String = "hall", on socket: RTSPSocket) throws -> (track: String, session: [String: String]) {
        let answer = try socket.request("SETUP", url("\(path)/track1"), ["Transport": Self.interleaved(0)]).expect(200)
        let id = answer.header("Session")?.split(separator: ";").first.map(String.init) ?? ""
        return (url("\(path)/track1"), ["Session": id])
    }

    static func interleaved(_ channel: Int) -> String {
        "RTP/AVP/TCP;unicast;interleaved=\(channel)-\(channel + 1)"
    }

    // MARK: - Resources

    var descriptorCount: Int {
        // If the server has ended, another check reports it.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.command.processID)/fd").count) ?? 0
    }

    /// The server's private memory in KB.
    var memory: Int {
        let status = try? String(contentsOfFile: "/proc/\(server.command.processID)/status", encoding: .utf8)
        return status?.firstMatch(of: /RssAnon:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
    }

    /// The processor time of the threads with this name, in hundredths of a second.
    func work(ofThreadsNamed name: String) -> Int { server.work(ofThreadsNamed: name) }
}

/// Checks `condition` every 10 ms until it holds; blocks the calling thread.
func soon(within seconds: Double = 3, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if try condition() { return true }
        guard ContinuousClock.now < deadline else { return false }
        pause(0.01)
    }
}
