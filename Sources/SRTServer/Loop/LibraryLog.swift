import CSRT
import Media
import Reactor
import Synchronization

/// What libsrt reports, at level error: it would write to standard error. One for the process, as libsrt's is.
enum LibraryLog {
    private static let target = Mutex<ServiceLog?>(nil)

    /// Reports to a log from now on.
    static func send(to log: ServiceLog) {
        target.withLock { $0 = log }
        apus_srt_log_to { isFatal, line in
            guard let line else { return }
            LibraryLog.pass(String(cString: line), isFatal: isFatal)
        }
    }

    /// Called in libsrt's threads. The log has a thread of its own and does not wait.
    private static func pass(_ line: String, isFatal: Bool) {
        let message = String(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(300))
        guard let log = target.withLock(\.self) else { return }
        // Errors that callers cause are reported with their reason elsewhere.
        log.log(
            .library, isFatal ? .error : .debug, "libsrt reports an error", reason: message)
    }
}
