import Foundation
import Testing

/// A running `apus serve` on a free port.
public final class ServerProcess: Sendable {
    public let port: Int
    /// The port for HTTP; 0 if the server has none.
    public let httpPort: Int
    /// The port for RTMP; 0 if the server has none.
    public let rtmpPort: Int
    /// The UDP port of SRT; 0 without.
    public let srtPort: Int
    public let command: Command

    public enum Failure: Error {
        case noBinary([String])
        case neverListened(String)
    }

    /// Returns the binary under test: `APUS_BINARY`, or the release build, or the debug build.
    public static func binary() throws -> String {
        if let named = ProcessInfo.processInfo.environment["APUS_BINARY"] { return named }
        let candidates = [".build-release/release/apus", ".build/debug/apus"].map(Checkout.path)
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure.noBinary(candidates)
        }
        return found
    }

    /// The state folder of all servers and commands in these tests, instead of the user's.
    private static let stateFolder: TemporaryFolder? = {
        // Otherwise the tests would use the user's folder, and pass.
        guard let folder = try? TemporaryFolder() else { return nil }
        setenv("STATE_DIRECTORY", folder.file("state"), 1)
        return folder
    }()

    /// Starts `apus serve --port … arguments` and waits until it listens.
    ///
    /// - Parameters:
    ///   - input: A file for standard input.
    ///   - prefix: A command that runs the server, such as `ip netns exec`.
    ///   - hasHTTP: Whether it also serves HTTP, on another free port.
    ///   - hasRTMP: Whether it also serves RTMP, on another free port.
    ///   - hasSRT: Whether it also serves SRT, on another free port.
    public static func start(
        _ arguments: [String], input: String? = nil, prefix: [String] = [], hasHTTP: Bool = false,
        hasRTMP: Bool = false,
        hasSRT: Bool = false
    ) async throws -> ServerProcess {
        var server = try await ServerProcess(
            arguments, input: input, prefix: prefix, hasHTTP: hasHTTP, hasRTMP: hasRTMP, hasSRT: hasSRT)
        // Another process may have taken the port meanwhile.
        for _ in 0..<3 where server.log.contains("is in use") {
            server = try await ServerProcess(
                arguments, input: input, prefix: prefix, hasHTTP: hasHTTP, hasRTMP: hasRTMP, hasSRT: hasSRT)
        }
        guard server.notice.contains("listening on") else { throw Failure.neverListened(server.log) }
        return server
    }

    private init(
        _ arguments: [String], input: String?, prefix: [String], hasHTTP: Bool, hasRTMP: Bool, hasSRT: Bool
    ) async throws {
        _ = Self.stateFolder
        let port = try LoopbackSocket.freePort()
        httpPort = hasHTTP ? try LoopbackSocket.freePort() : 0
        rtmpPort = hasRTMP ? try LoopbackSocket.freePort() : 0
        srtPort = hasSRT ? try LoopbackSocket.freePort() : 0
        // Started in / to ignore an apus.yml in the current folder.
        let command = try Command(
            prefix + [Self.binary(), "serve", "--port", "\(port)", "--http-port", "\(httpPort)"]
                + ["--rtmp-port", "\(rtmpPort)", "--srt-port", "\(srtPort)"] + arguments,
            input: input, in: "/")
        self.port = port
        self.command = command
        _ = await eventually(within: 20) {
            String(decoding: command.output, as: UTF8.self).contains("listening on") || !command.isRunning
        }
    }

    /// The standard output, with the notice at start.
    public var notice: String { String(decoding: command.output, as: UTF8.self) }
    /// The log.
    public var log: String { command.errors }

    /// Whether one of `texts` is logged within five seconds; the server's log is written by a separate thread.
    public func logs(_ texts: String..., within seconds: Double = 5) async -> Bool {
        await eventually(within: seconds) { texts.contains { log.contains($0) } }
    }

    public func url(_ path: String = "cam", host: String = "127.0.0.1") -> String { "rtsp://\(host):\(port)/\(path)" }

    /// The address of a path over RTMP.
    public func rtmpURL(_ path: String = "cam") -> String { "rtmp://127.0.0.1:\(rtmpPort)/\(path)" }

    /// The address of the endless MP4 file of a path.
    public func fileURL(_ path: String = "cam") -> String { "http://127.0.0.1:\(httpPort)/\(path)/index.mp4" }

    /// The address of the newest frame of a path.
    public func imageURL(_ path: String = "cam", _ query: String = "") -> String {
        "http://127.0.0.1:\(httpPort)/\(path).jpg\(query)"
    }

    /// Waits until the server describes `path`, which means that its source has announced its tracks.
    public func isServing(_ path: String = "cam", host: String = "127.0.0.1", within seconds: Double = 15) async throws
        -> Bool
    {
        try await eventually(within: seconds) {
            let client = try RTSPSocket(port: port)
            return try client.request("DESCRIBE", url(path, host: host)).status == 200
        }
    }

    /// Sends SIGTERM and expects the server to end its sessions and to exit with 0. On an idle machine that takes less than one
    /// second (checked in `LifeCycle`); here the limit is three, because other tests run at the same time.
    public func stop(sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(command.isRunning, "the server has ended: \(log.suffix(2_000))", sourceLocation: sourceLocation)
        let start = ContinuousClock.now
        command.signal(SIGTERM)
        let outcome = await command.finish(within: 20)
        let elapsed = ContinuousClock.now - start
        #expect(outcome.status == 0, "\(outcome.diagnostics)", sourceLocation: sourceLocation)
        #expect(
            elapsed < .seconds(3 * Sanitizer.patience), "the stop took \(elapsed)", sourceLocation: sourceLocation)
    }
}

/// Starts a server, calls `body`, and stops the server by SIGTERM, even if `body` throws.
public func withServer<Result>(
    _ arguments: String..., input: String? = nil, hasHTTP: Bool = false, hasRTMP: Bool = false,
    hasSRT: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    let server = try await ServerProcess.start(
        arguments, input: input, hasHTTP: hasHTTP, hasRTMP: hasRTMP, hasSRT: hasSRT)
    do {
        let result = try await body(server)
        await server.stop(sourceLocation: sourceLocation)
        return result
    } catch {
        await server.stop(sourceLocation: sourceLocation)
        throw error
    }
}

/// Serves `source` and, once it is described, calls `body` for UDP and TCP concurrently.
public func overBothTransports(
    of source: String, _ body: @escaping @Sendable (ServerProcess, _ transport: String) async throws -> Void
) async throws {
    try await withServer(source) { server in
        #expect(try await server.isServing())
        try await concurrently(["udp", "tcp"]) { try await body(server, $0) }
    }
}
