import Connecting
import Logging
import Media
import Synchronization

/// Logs what becomes of one forward, and decides when its server is tried again. Called on the thread of a media loop.
final class ForwardJournal: ForwardObserver {
    private struct State {
        var schedule = RestartSchedule()
        /// When the server took the stream; `nil` if it has not since the last end.
        var began: MonotonicTime?
    }

    private let log: Logger
    private let state = Mutex(State())

    init(_ log: Logger) {
        self.log = log
    }

    func forwardBegan(at now: MonotonicTime) {
        state.withLock { $0.began = now }
        log.info("the server takes the stream")
    }

    func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64 {
        guard !end.isOfSource else {
            state.withLock { $0.began = nil }
            log.info("\(end)")
            return 0
        }
        let decision = state.withLock { state in
            state.schedule.ended(
                end.description, leastPause: end.leastPauseMilliseconds, jitter: .random(in: RestartSchedule.jitter),
                startedAt: state.began.take() ?? now, at: now)
        }
        guard case .log(let unlogged) = decision.report else { return decision.pauseMilliseconds }
        var metadata: Logger.Metadata = ["retryMilliseconds": "\(decision.pauseMilliseconds)"]
        if unlogged > 0 { metadata["sinceLastTold"] = "\(unlogged)" }
        let remedy = end.remedy.map { "; \($0)" } ?? ""
        log.error("\(end)\(remedy)", metadata: metadata)
        return decision.pauseMilliseconds
    }
}

extension ForwardEnd {
    /// The least pause before the server is tried again, in milliseconds.
    var leastPauseMilliseconds: Int64 {
        if case .failed(let failure) = cause { RestartSchedule.leastPause(after: failure) } else { 0 }
    }

    /// What to do, as an instruction to the reader; `nil` if nothing can be done here.
    fileprivate var remedy: String? {
        guard case .failed(let failure) = cause else { return nil }
        return switch failure.kind {
        case .untrustedCertificate(let fingerprint) where !fingerprint.isEmpty:
            "if the certificate is that of the server, set the forward's certificate to fingerprint:… with these digits"
        case .deniedDestination: "change access.connectAllow or access.connectDeny to permit it"
        case .passwordRequired: "set the user and the password of the forward"
        case .unsupportedTransport: "set another transport of the forward"
        default: nil
        }
    }
}
