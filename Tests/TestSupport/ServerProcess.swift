import Foundation
import Testing

/// The real server, as a user starts it: `apus serve` on a port that was free.
public final class ServerProcess: Sendable {
    public let port: Int
    public let command: Command

    public enum Failure: Error {
        case noBinary([String])
        case neverListened(String)
    }

    /// The binary under test: `APUS_BINARY`, else the release build's, else the debug build's.
    public static func binary() throws -> String {
        if let named = ProcessInfo.processInfo.environment["APUS_BINARY"] { return named }
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let candidates = [".build-release/release/apus", ".build/debug/apus"].map { checkout.appending(path: $0).path }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure.noBinary(candidates)
        }
        return found
    }

    /// Where all servers of these tests keep their state, and the verbs that ask for it: not where whoever runs them has it.
    private static let stateFolder: TemporaryFolder? = {
        // Without it the tests would use the folder of whoever runs them, and pass.
        guard let folder = try? TemporaryFolder() else { return nil }
        setenv("STATE_DIRECTORY", folder.file("state"), 1)
        return folder
    }()

    /// Starts `apus serve --port … arguments` and waits until it listens.
    ///
    /// - Parameters:
    ///   - input: the file that it reads as standard input.
    ///   - prefix: what runs it, such as `ip netns exec`.
    public static func start(
        _ arguments: [String], input: String? = nil, prefix: [String] = []
    ) async throws -> ServerProcess {
        var server = try await ServerProcess(arguments, input: input, prefix: prefix)
        // Someone may have taken the port before it listens.
        for _ in 0..<3 where server.log.contains("is taken") {
            server = try await ServerProcess(arguments, input: input, prefix: prefix)
        }
        guard server.notice.contains("listening on") else { throw Failure.neverListened(server.log) }
        return server
    }

    private init(_ arguments: [String], input: String?, prefix: [String]) async throws {
        _ = Self.stateFolder
        let port = try LoopbackSocket.freePort()
        // No ./apus.yml of whoever runs the tests.
        let command = try Command(
            prefix + [Self.binary(), "serve", "--port", "\(port)"] + arguments, input: input, in: "/")
        self.port = port
        self.command = command
        _ = await eventually(within: 20) {
            String(decoding: command.output, as: UTF8.self).contains("listening on") || !command.isRunning
        }
    }

    /// What it said on standard output.
    public var notice: String { String(decoding: command.output, as: UTF8.self) }
    /// What it logged.
    public var log: String { command.errors }

    /// Whether it logs one of `texts`, by now or soon: its log is written by a thread of its own.
    public func logs(_ texts: String...) async -> Bool {
        await eventually(within: 5) { texts.contains { log.contains($0) } }
    }

    public func url(_ path: String = "cam", host: String = "127.0.0.1") -> String { "rtsp://\(host):\(port)/\(path)" }

    /// Waits until `path` is described: its source has said what it is.
    public func isServing(_ path: String = "cam", host: String = "127.0.0.1", within seconds: Double = 15) async throws
        -> Bool
    {
        try await eventually(within: seconds) {
            let client = try RTSPSocket(port: port)
            return try client.request("DESCRIBE", url(path, host: host)).status == 200
        }
    }

    /// SIGTERM: it must say goodbye and exit with 0, within a second on an idle machine (`LifeCycle` holds it to that); with all else
    /// that is tested at the same time, three.
    public func stop(sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(command.isRunning, "it ended by itself: \(log.suffix(2_000))", sourceLocation: sourceLocation)
        let start = ContinuousClock.now
        command.signal(SIGTERM)
        let outcome = await command.finish(within: 5)
        let elapsed = ContinuousClock.now - start
        #expect(outcome.status == 0, "\(outcome.diagnostics)", sourceLocation: sourceLocation)
        #expect(
            elapsed < .seconds(3 * Sanitizer.patience), "it took \(elapsed) to stop", sourceLocation: sourceLocation)
    }
}

/// Starts a server, lets `body` use it, and stops it by SIGTERM, also when `body` throws.
public func withServer<Result>(
    _ arguments: String..., input: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (ServerProcess) async throws -> Result
) async throws -> Result {
    let server = try await ServerProcess.start(arguments, input: input)
    do {
        let result = try await body(server)
        await server.stop(sourceLocation: sourceLocation)
        return result
    } catch {
        await server.stop(sourceLocation: sourceLocation)
        throw error
    }
}

/// A server of `source`; `body` watches over UDP and TCP at the same time, once it is on air.
public func overBothTransports(
    of source: String, _ body: @escaping @Sendable (ServerProcess, _ transport: String) async throws -> Void
) async throws {
    try await withServer(source) { server in
        #expect(try await server.isServing())
        try await concurrently(["udp", "tcp"]) { try await body(server, $0) }
    }
}
