import FoundationEssentials
import Glibc
import Logging
import Media
import Reactor
import Synchronization

/// Sends notifications to systemd, if it has started this process as a service of `Type=notify`; otherwise does nothing.
///
/// A notification is a datagram to the socket that the environment names (sd_notify(3)); this needs no library.
public final class Systemd: Sendable {
    private let socket: UnixDatagramSocket?
    /// The watchdog timeout of systemd, in nanoseconds; `nil` without a watchdog.
    let watchdogTimeout: Int64?
    private let timer = Mutex<WatchdogTimer?>(nil)
    private let log: Logger

    /// For this process.
    public convenience init(log: Logger) {
        self.init(ProcessInfo.processInfo.environment, process: getpid(), log: log)
    }

    /// - Parameter environment: its `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are used.
    init(_ environment: [String: String], process: Int32, log: Logger) {
        self.log = log
        socket = Self.socket(environment, log)
        watchdogTimeout = socket == nil ? nil : Self.watchdogTimeout(environment, process)
    }

    private static func socket(_ environment: [String: String], _ log: Logger) -> UnixDatagramSocket? {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        do throws(SystemError) {
            return try UnixDatagramSocket(connectingTo: name)
        } catch {
            log.warning(
                "cannot open the socket for notifications to systemd (NOTIFY_SOCKET)", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// `WATCHDOG_USEC`, unless `WATCHDOG_PID` is another process.
    private static func watchdogTimeout(_ environment: [String: String], _ process: Int32) -> Int64? {
        guard environment["WATCHDOG_PID"].map({ $0 == "\(process)" }) ?? true,
            let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0
        else { return nil }
        let (nanoseconds, isTooMany) = microseconds.multipliedReportingOverflow(by: 1_000)
        return isTooMany ? nil : nanoseconds
    }

    /// Call this before the process exits because the start has failed for a temporary reason, such as a port in use.
    ///
    /// Waits a second under systemd, because systemd restarts the service at once. Otherwise returns at once.
    public static func waitBeforeTheNextStart() {
        if ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] != nil { sleep(1) }
    }

    /// Notifies systemd that `assembly` serves, and from now on that it is alive, as long as all event loops turn.
    public func announceServing(_ assembly: Assembly) {
        announceServing(assembly.summary) { await assembly.server.turned() }
    }

    /// - Parameter turned: returns once all event loops have turned.
    func announceServing(_ summary: String, turned: @escaping @Sendable () async -> Void) {
        notify(.ready(summary))
        guard let watchdogTimeout else { return }
        do throws(SystemError) {
            let timer = try WatchdogTimer(watchdogTimeout: watchdogTimeout, log: log, ask: turned) { [weak self] in
                self?.notify(.alive)
            }
            self.timer.withLock { $0 = timer }
            timer.start()
        } catch {
            log.error(
                "cannot start the watchdog thread, so systemd will restart this process",
                metadata: ["reason": "\(error)"])
        }
    }

    /// Notifies systemd that `assembly` reloads its configuration while `body` runs.
    public func announceReload(of assembly: Assembly, _ body: () -> Void) {
        announceReload({ assembly.summary }, body)
    }

    /// - Parameter summary: describes what is served afterwards.
    func announceReload(_ summary: () -> String, _ body: () -> Void) {
        notify(.reloading(since: .now()))
        body()
        notify(.ready(summary()))
    }

    /// Notifies systemd that the server is stopping.
    public func announceEnd() {
        notify(.stopping)
    }

    private func notify(_ notice: SystemdNotice) {
        do throws(SystemError) {
            try socket?.send(notice.text)
        } catch {
            log.warning("cannot send a notification to systemd", metadata: ["reason": "\(error)"])
        }
    }
}

extension Assembly {
    /// What it serves, in one line.
    var summary: String {
        let count = state.withLock { $0.paths.count }
        return "serving \(count) \(count == 1 ? "path" : "paths") at TCP port \(server.port) (RTSP)"
    }
}
