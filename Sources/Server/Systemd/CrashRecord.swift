import FoundationEssentials
import Glibc
import Reactor

/// How often a service was started since it last ended in order or served for a minute: a file in its runtime folder.
///
/// systemd starts a service that has crashed again at once, because viewers wait (`RestartSec=0`), and systemd 252 cannot make
/// that time grow. So a server that crashes again and again waits at its start: not after the first crash, then 1, 2, 4, 8 and
/// at most 10 s. It never gives up.
public struct CrashRecord: Sendable {
    /// A server that served for so long, in seconds, was in order: its next crash is a new one.
    public static let healthySeconds = 60
    private static let longestPauseSeconds = 10

    private let file: String

    /// That of this process; `nil` if it has no runtime folder of systemd's.
    public init?() {
        self.init(ProcessInfo.processInfo.environment)
    }

    /// - Parameter environment: `RUNTIME_DIRECTORY` of it counts, and there its first folder.
    init?(_ environment: [String: String]) {
        guard let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first else { return nil }
        file = "\(folder)/starts"
    }

    /// To be called once at each start: waits if the server has crashed more than once.
    ///
    /// - Returns: whether the server is to start; not if SIGTERM or SIGINT came meanwhile.
    public func waitBeforeStart() -> Bool {
        let starts = startCount
        let pause = Self.pauseSeconds(afterStarts: starts)
        if pause > 0 {
            writeToStandardError("apus: \(starts) crashes, the last one just now: starting in \(pause) s\n")
            guard !Signals.isTerminated(withinSeconds: pause) else {
                endedNormally()
                return false
            }
        }
        write(starts + 1)
        return true
    }

    /// To be called when the server has served for ``healthySeconds``.
    public func servedForAMinute() {
        write(1)
    }

    /// To be called when the process ends by itself or because it was told to.
    public func endedNormally() {
        unlink(file)
    }

    /// - Parameter count: of starts in a row, all of which ended in a crash.
    static func pauseSeconds(afterStarts count: Int) -> Int {
        // 2⁴ is more than the longest: no need to shift further.
        count < 2 ? 0 : min(1 << min(count - 2, 4), longestPauseSeconds)
    }

    /// 0 if there is no such file, or if it holds no number.
    var startCount: Int {
        let fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard fd >= 0 else { return 0 }
        defer { close(fd) }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = read(fd, &bytes, bytes.count)
        return Int(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)).map { min(max($0, 0), 1_000) } ?? 0
    }

    /// Without the file, the next start does not wait: no reason not to serve now.
    private func write(_ count: Int) {
        let fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fd >= 0 else { return }
        defer { close(fd) }
        let bytes = Array("\(count)".utf8)
        _ = Glibc.write(fd, bytes, bytes.count)
    }
}

extension Assembly {
    /// Has `record` know when this server has served for a minute.
    public func notify(_ record: CrashRecord) {
        tasks.run(at: .now().advanced(byMilliseconds: Int64(CrashRecord.healthySeconds) * 1_000)) {
            record.servedForAMinute()
        }
    }
}
