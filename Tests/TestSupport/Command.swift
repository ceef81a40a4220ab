import Foundation
import Synchronization

/// A program that runs beside the test, with all that it prints kept in files.
public final class Command: Sendable {
    /// How a program ended.
    public struct Outcome: Sendable {
        /// Exit status, or the signal's number + 128, as shells count.
        public let status: Int32
        public let output: [UInt8]
        public let errors: String
        /// Whether it had to be killed because its time was up.
        public let ranOutOfTime: Bool

        public var text: String { String(decoding: output, as: UTF8.self) }
        /// For a failed expectation: what the program said last.
        public var diagnostics: String { "status \(status)\(ranOutOfTime ? ", killed" : ""): \(errors.suffix(1_500))" }
    }

    public enum Failure: Error {
        case cannotStart(String)
    }

    /// One is started after the other: a program has a socket whose end tells Foundation its own, and what is started meanwhile
    /// inherits that.
    private static let starting = Mutex(())
    private let process: Process
    private let folder: TemporaryFolder

    /// Starts `arguments[0]`, found through PATH.
    ///
    /// - Parameter input: a file to read standard input from; nothing by default.
    public init(_ arguments: [String], input: String? = nil, in directory: String? = nil) throws {
        folder = try TemporaryFolder()
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input.flatMap(FileHandle.init(forReadingAtPath:)) ?? FileHandle.nullDevice
        process.standardOutput = try folder.handle("output")
        process.standardError = try folder.handle("errors")
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        do {
            try Self.starting.withLock { _ in try process.run() }
        } catch {
            throw Failure.cannotStart("\(arguments): \(error)")
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    public var processID: Int32 { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }
    /// What it has printed so far.
    public var output: [UInt8] { folder.bytes("output") }
    public var outputByteCount: Int { folder.byteCount("output") }
    public var errors: String { String(decoding: folder.bytes("errors"), as: UTF8.self) }

    public func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Waits for its end, and kills it when `seconds` have passed.
    public func finish(within seconds: Double) async -> Outcome {
        let inTime = await eventually(within: seconds) { !process.isRunning }
        if !inTime {
            signal(SIGKILL)
            _ = await eventually(within: 5) { !process.isRunning }
        }
        let bySignal = !process.isRunning && process.terminationReason == .uncaughtSignal
        let status = process.isRunning ? -1 : process.terminationStatus + (bySignal ? 128 : 0)
        return Outcome(status: status, output: output, errors: errors, ranOutOfTime: !inTime)
    }

    /// Runs a program to its end.
    public static func run(
        _ arguments: [String], input: String? = nil, within seconds: Double = 20
    ) async throws -> Outcome {
        try await Command(arguments, input: input).finish(within: seconds)
    }

    /// Whether PATH leads to `program`.
    public static func exists(_ program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}
