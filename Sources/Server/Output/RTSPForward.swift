import Logging
import Media
import RTSP
import RTSPClient
import Reactor
import Streams
import Synchronization

/// Publishes a stream to another RTSP server. A media loop carries it out (`ForwardLoops`), without a thread of its own.
final class RTSPForward: PathForward {
    let label: String
    let transport: String
    private let loops: ForwardLoops
    /// `nil` if this host lacks a library that the settings need; `failure` says which.
    private let forward: Forward?
    private let failure: ForwardStatus?

    init(
        to url: RequestURL, _ settings: Configuration.Forward, of forwarded: ForwardedStream, on loops: ForwardLoops,
        log: Logger
    ) {
        label = url.text
        transport = url.isSecure ? "TLS" : settings.transport.rawValue.uppercased()
        self.loops = loops
        var log = log
        log[metadataKey: "forward"] = "\(url.text)"
        let now = MonotonicTime.now()
        do throws(SourceFailure) {
            var plan = try Self.plan(to: url, settings)
            plan.destinations = loops.destinations
            forward = Forward(
                Forward.Plan(plan, title: forwarded.title, information: forwarded.information), of: forwarded.stream,
                holdsStream: forwarded.isHeld, observer: ForwardJournal(log), at: now)
            failure = nil
        } catch {
            log.error("\(error)")
            (forward, failure) = (nil, .failed(because: error.description, at: now))
        }
    }

    private static func plan(
        to url: RequestURL, _ settings: Configuration.Forward
    ) throws(SourceFailure) -> SessionPlan {
        var plan = SessionPlan(url, transport: settings.transport.session)
        do throws(OpenSSLFailure) {
            plan.login = try ClientLogin(at: url, user: settings.user, password: settings.password)
        } catch {
            throw SourceFailure(reason: "\(error)")
        }
        do throws(ClientSessionEnd) {
            if url.isSecure { try plan.accept(settings.certificate.certificates) }
        } catch {
            throw SourceFailure(reason: "\(error)")
        }
        return plan
    }

    var status: ForwardStatus {
        // One of the two exists.
        forward?.status ?? failure ?? .failed(because: "", at: .now())
    }

    func start(after former: (any PathForward)?) {
        if let forward { loops.start(forward, after: (former as? RTSPForward)?.forward) }
    }

    func stop() {
        forward?.stop()
    }
}

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
        if case .session(let end) = cause { RestartSchedule.leastPause(after: end) } else { 0 }
    }

    /// What to do, as an instruction to the reader; `nil` if nothing can be done here.
    fileprivate var remedy: String? {
        switch cause {
        case .session(.insecure(.untrusted(_, let fingerprint))) where !fingerprint.isEmpty:
            "if the certificate is that of the server, set the forward's certificate to fingerprint:… with these digits"
        case .session(.deniedDestination): "change access.connectAllow or access.connectDeny to permit it"
        case .session(.closed(.passwordRequired)): "set the user and the password of the forward"
        case .session(.closed(.refused(_, .unsupportedTransport, _, _))): "set another transport of the forward"
        default: nil
        }
    }
}
