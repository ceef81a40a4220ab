import Foundation
import Synchronization

/// A program that runs during a test; its output is kept in files.
public final class Command: Sendable {
    /// The result of a program.
    public struct Outcome: Sendable {
        /// The exit status, or 128 + the signal's number, as in shells.
        public let status: Int32
        public let output: [UInt8]
        public let errors: String
        /// Whether the program was killed because it ran too long.
        public let ranOutOfTime: Bool

        public var text: String { String(decoding: output, as: UTF8.self) }
        /// The end of the program's messages, for failed expectations.
        public var diagnostics: String { "status \(status)\(ranOutOfTime ? ", killed" : ""): \(errors.suffix(1_500))" }
    }

    public enum Failure: Error {
        case cannotStart(String)
    }

    /// Serialises the starts. Foundation learns of a program's end by a socket, which a program started at the same time would
    /// inherit.
    private static let starting = Mutex(())
    private let process: Process
    private let folder: TemporaryFolder

    /// Starts `arguments[0]`, found in PATH.
    ///
    /// - Parameter input: A file for standard input; by default /dev/null.
    public init(_ arguments: [String], input: String? = nil, in directory: String? = nil) throws {
        folder = try TemporaryFolder()
        do {
            process = try Self.started(arguments, input: input, in: directory, folder)
        } catch {
            // Once in some thousand starts, Foundation reports a bad descriptor; the reason is not known.
            process = try Self.started(arguments, input: input, in: directory, folder)
        }
    }

    private static func started(
        _ arguments: [String], input: String?, in directory: String?, _ folder: TemporaryFolder
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input.flatMap(FileHandle.init(forReadingAtPath:)) ?? FileHandle.nullDevice
        process.standardOutput = try folder.handle("output")
        process.standardError = try folder.handle("errors")
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        do {
            try starting.withLock { _ in try process.run() }
            return process
        } catch {
            throw Failure.cannotStart("\(arguments): \(error)")
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    public var processID: Int32 { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }
    /// The standard output so far.
    public var output: [UInt8] { folder.bytes("output") }
    public var outputByteCount: Int { folder.byteCount("output") }
    public var errors: String { String(decoding: folder.bytes("errors"), as: UTF8.self) }

    public func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Waits for the program's end; kills the program after `seconds`.
    public func finish(within seconds: Double) async -> Outcome {
        let inTime = await eventually(within: seconds) { !process.isRunning }
        if !inTime {
            signal(SIGKILL)
            _ = await eventually(within: 20) { !process.isRunning }
        }
        let bySignal = !process.isRunning && process.terminationReason == .uncaughtSignal
        let status = process.isRunning ? -1 : process.terminationStatus + (bySignal ? 128 : 0)
        return Outcome(status: status, output: output, errors: errors, ranOutOfTime: !inTime)
    }

    /// Runs a program until its end.
    public static func run(
        _ arguments: [String], input: String? = nil, within seconds: Double = 20
    ) async throws -> Outcome {
        try await Command(arguments, input: input).finish(within: seconds)
    }

    /// Whether `program` is found in PATH.
    public static func exists(_ program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}
