import Logging
import Reactor
import Synchronization
import TLS

/// Has the server show another certificate once its files have changed; who watches stays.
final class CertificateWatch: Sendable {
    private struct State {
        var files: CertificateFiles
        /// Of the files as they were read last.
        var used: CertificateFiles.Stamp
        /// Of the files as they were looked at last.
        var seen: CertificateFiles.Stamp
    }

    /// Between two looks. A certificate is renewed weeks before it ends; whoever tries things out does not wait long.
    private static let intervalSeconds = 2

    private let state: Mutex<State>
    private let timer: RepeatingTimer
    private let use: @Sendable (ServerIdentity) -> Void
    private let log: Logger

    /// - Parameters:
    ///   - files: have been read by now.
    ///   - use: is given what they hold from now on, whenever that has changed.
    init(
        _ files: CertificateFiles, log: Logger, use: @escaping @Sendable (ServerIdentity) -> Void
    ) throws(SystemError) {
        timer = try RepeatingTimer(name: "apus-cert")
        let stamp = files.stamp
        state = Mutex(State(files: files, used: stamp, seen: stamp))
        self.log = log
        self.use = use
    }

    /// Looks again and again from now on.
    func start() {
        timer.run(everySeconds: Self.intervalSeconds) { [weak self] in self?.look() }
    }

    /// Looks no more.
    func stop() {
        timer.run(everySeconds: 0) {}
    }

    /// Reads the files if they have changed, and have not since the last look: certificate and key are written one after the
    /// other, and between the two they do not match.
    func look() {
        let files = state.withLock { state -> CertificateFiles? in
            let stamp = state.files.stamp
            defer { state.seen = stamp }
            guard stamp != state.used, stamp == state.seen else { return nil }
            state.used = stamp
            return state.files
        }
        if let files { read(files) }
    }

    /// Other files hold it from now on.
    func follow(_ files: CertificateFiles) {
        state.withLock { state in
            let stamp = files.stamp
            state = State(files: files, used: stamp, seen: stamp)
        }
        read(files)
    }

    private func read(_ files: CertificateFiles) {
        do throws(CertificateFailure) {
            use(try files.identity())
            log.notice(
                "certificate read again, for those who come from now on", metadata: ["file": "\(files.certificate)"])
        } catch {
            log.error("the former certificate stays", metadata: ["reason": "\(error)"])
        }
    }
}
