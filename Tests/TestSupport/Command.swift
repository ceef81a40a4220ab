import CSpawn
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

    private let folder: TemporaryFolder
    public let processID: Int32
    /// How the program ended, as in `Outcome.status`; nil while it runs. While this is locked, the process ID is not used again.
    private let end = Mutex<Int32?>(nil)

    /// Starts `arguments[0]`, found in PATH.
    ///
    /// - Parameter input: A file for standard input; by default /dev/null.
    public init(_ arguments: [String], input: String? = nil, in directory: String? = nil) throws {
        folder = try TemporaryFolder()
        var strings = arguments.map { strdup($0) } + [nil]
        defer { strings.forEach { free($0) } }
        var processID: Int32 = 0
        // Foundation's `Process` reads behind a buffer and may crash if this process has more than about 1 350 descriptors, as the
        // attacks have.
        let error = spawn_program(
            &processID, &strings, input ?? "/dev/null", folder.file("output"), folder.file("errors"), directory)
        guard error == 0 else { throw Failure.cannotStart("\(arguments): \(String(cString: strerror(error)))") }
        self.processID = processID
    }

    deinit {
        signal(SIGKILL)
        if isRunning { waitpid(processID, nil, 0) }
    }

    public var isRunning: Bool { status == nil }
    /// The standard output so far.
    public var output: [UInt8] { folder.bytes("output") }
    public var outputByteCount: Int { folder.byteCount("output") }
    public var errors: String { String(decoding: folder.bytes("errors"), as: UTF8.self) }

    private var status: Int32? {
        end.withLock { end in
            var waited: Int32 = 0
            guard end == nil, waitpid(processID, &waited, WNOHANG) == processID else { return end }
            let signal = waited & 0x7F
            end = signal == 0 ? (waited >> 8) & 0xFF : 128 + signal
            return end
        }
    }

    public func signal(_ number: Int32) {
        end.withLock { end in
            if end == nil { kill(processID, number) }
        }
    }

    /// Waits for the program's end; kills the program after `seconds`.
    public func finish(within seconds: Double) async -> Outcome {
        let inTime = await eventually(within: seconds) { !isRunning }
        if !inTime {
            signal(SIGKILL)
            _ = await eventually(within: 20) { !isRunning }
        }
        return Outcome(status: status ?? -1, output: output, errors: errors, ranOutOfTime: !inTime)
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
