import Dispatch
import Logging
import Reactor
import Synchronization
import TLS

/// Makes the server use a new certificate when the files change. Viewers stay connected.
final class CertificateWatch: Component {
    let name = "the check of the certificate's files"
    private struct State {
        var files: CertificateFiles
        /// When the files were last read.
        var used: CertificateFiles.Stamp
        /// When the files were last checked.
        var seen: CertificateFiles.Stamp
    }

    /// Time between two checks. Short enough for a user to wait for the change.
    private static let intervalSeconds = 2

    private let state: Mutex<State>
    private let timer: RepeatingTimer
    private let use: @Sendable (ServerIdentity) -> Void
    private let log: Logger

    /// - Parameters:
    ///   - files: the files that the server uses already.
    ///   - use: is called with the new certificate when the files have changed.
    init(
        _ files: CertificateFiles, log: Logger, use: @escaping @Sendable (ServerIdentity) -> Void
    ) throws(SystemError) {
        timer = try RepeatingTimer(name: "apus-cert")
        let stamp = files.stamp
        state = Mutex(State(files: files, used: stamp, seen: stamp))
        self.log = log
        self.use = use
    }

    /// Starts to check the files at regular intervals.
    func start() {
        timer.run(everySeconds: Self.intervalSeconds) { [weak self] in self?.look() }
    }

    /// Stops checking.
    func stop() {
        timer.run(everySeconds: 0) {}
    }

    func join(until deadline: DispatchTime) -> Bool { true }

    /// Reads the files if they have changed, but not since the last check: certificate and key are written one after the other, and
    /// do not match in between.
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

    /// Uses other files from now on.
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
                "certificate read again; new connections use it", metadata: ["file": "\(files.certificate)"])
        } catch {
            log.error(
                "the new certificate cannot be used, so the old one stays in use", metadata: ["reason": "\(error)"])
        }
    }
}
