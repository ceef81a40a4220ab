import FoundationEssentials
import Glibc
import Logging
import Media
import Reactor
import Synchronization

/// systemd, where it has started this process as a service that tells how it is (`Type=notify`); silence elsewhere.
///
/// That takes a datagram to the socket that it names in the environment, and no library (sd_notify(3)).
public final class Systemd: Sendable {
    private let socket: UnixDatagramSocket?
    /// How long systemd waits for a sign of life, in nanoseconds; `nil` where it does not.
    let watchdogTimeout: Int64?
    private let timer = Mutex<WatchdogTimer?>(nil)
    private let log: Logger

    /// That of this process.
    public convenience init(log: Logger) {
        self.init(ProcessInfo.processInfo.environment, process: getpid(), log: log)
    }

    /// - Parameter environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` of it count.
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
            log.warning("systemd cannot be told how the service is: NOTIFY_SOCKET", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// `WATCHDOG_USEC`, unless `WATCHDOG_PID` says that another process is meant.
    private static func watchdogTimeout(_ environment: [String: String], _ process: Int32) -> Int64? {
        guard environment["WATCHDOG_PID"].map({ $0 == "\(process)" }) ?? true,
            let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0
        else { return nil }
        let (nanoseconds, isTooMany) = microseconds.multipliedReportingOverflow(by: 1_000)
        return isTooMany ? nil : nanoseconds
    }

    /// To be called before a start that failed ends the process, where the reason may pass, as another server at the port.
    ///
    /// systemd starts it again at once, over and over: so it takes a second, elsewhere no time.
    public static func waitBeforeTheNextStart() {
        if ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] != nil { sleep(1) }
    }

    /// `assembly` serves. From now on systemd hears signs of life, as long as all event loops turn.
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
            log.error("no watchdog, so systemd will end this process", metadata: ["reason": "\(error)"])
        }
    }

    /// `assembly` takes up another configuration while `body` runs.
    public func announceReload(of assembly: Assembly, _ body: () -> Void) {
        announceReload({ assembly.summary }, body)
    }

    /// - Parameter summary: what is served afterwards.
    func announceReload(_ summary: () -> String, _ body: () -> Void) {
        notify(.reloading(since: .now()))
        body()
        notify(.ready(summary()))
    }

    /// The server is ending.
    public func announceEnd() {
        notify(.stopping)
    }

    private func notify(_ notice: SystemdNotice) {
        do throws(SystemError) {
            try socket?.send(notice.text)
        } catch {
            log.warning("systemd cannot be told how the service is", metadata: ["reason": "\(error)"])
        }
    }
}

extension Assembly {
    /// What it serves, in a line.
    var summary: String {
        let count = state.withLock { $0.paths.count }
        return "serving \(count) \(count == 1 ? "path" : "paths") at TCP port \(server.port) (RTSP)"
    }
}
