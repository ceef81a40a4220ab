import FoundationEssentials
import Glibc
import Reactor

/// Counts the starts of a service since it last ended normally or served for a minute, in a file in its runtime folder.
///
/// systemd restarts a crashed service at once, because viewers wait (`RestartSec=0`), and systemd 252 cannot increase that delay. So
/// a server that crashes repeatedly waits at its start: not after the first crash, then 1, 2, 4, 8 and at most 10 s.
public struct CrashRecord: Sendable {
    /// After it has served for this time, in seconds, a crash counts as the first.
    public static let healthySeconds = 60
    private static let longestPauseSeconds = 10

    private let file: String

    /// The record of this process; `nil` if systemd has not given it a runtime folder.
    public init?() {
        self.init(ProcessInfo.processInfo.environment)
    }

    /// - Parameter environment: its `RUNTIME_DIRECTORY` is used; if that names several folders, the first one.
    init?(_ environment: [String: String]) {
        guard let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first else { return nil }
        file = "\(folder)/starts"
    }

    /// Call this once at each start. Waits if the server has crashed more than once.
    ///
    /// - Returns: whether to start the server; `false` if SIGTERM or SIGINT arrived during the wait.
    public func waitBeforeStart() -> Bool {
        let starts = startCount
        let pause = Self.pauseSeconds(afterStarts: starts)
        if pause > 0 {
            writeToStandardError(
                "apus: the server has crashed \(starts) times in a row; starting again in \(pause) s\n")
            guard !Signals.isTerminated(withinSeconds: pause) else {
                endedNormally()
                return false
            }
        }
        write(starts + 1)
        return true
    }

    /// Call this when the server has served for ``healthySeconds``.
    public func servedForAMinute() {
        write(1)
    }

    /// Call this when the process exits, by itself or after a signal.
    public func endedNormally() {
        unlink(file)
    }

    /// - Parameter count: consecutive starts that ended in a crash.
    static func pauseSeconds(afterStarts count: Int) -> Int {
        // 2⁴ is more than the maximum.
        count < 2 ? 0 : min(1 << min(count - 2, 4), longestPauseSeconds)
    }

    /// 0 if the file does not exist or does not contain a number.
    var startCount: Int {
        let fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else { return 0 }
        defer { close(fd) }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = read(fd, &bytes, bytes.count)
        return Int(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)).map { min(max($0, 0), 1_000) } ?? 0
    }

    /// Saves the count. A failure is ignored: it only means that the next start is not delayed.
    private func write(_ count: Int) {
        let fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fd >= 0 else { return }
        defer { close(fd) }
        let bytes = Array("\(count)".utf8)
        _ = Glibc.write(fd, bytes, bytes.count)
    }
}

extension Assembly {
    /// Resets `record` when this server has served for a minute.
    public func notify(_ record: CrashRecord) {
        tasks.run(at: .now().advanced(byMilliseconds: Int64(CrashRecord.healthySeconds) * 1_000)) {
            record.servedForAMinute()
        }
    }
}
