import Capture
import RTP
import RTSP
import RTSPClient
import RateControl
import Reactor
import Streams
import Synchronization

/// The stream of another server or of a camera, pulled over RTSP.
///
/// The supervisor's thread waits here, while a media loop receives and publishes (`PullLoops`). There is one session, however many
/// viewers there are.
final class PulledSource: PathSource {
    let label: String
    private let url: RequestURL
    private let settings: Configuration.Pull
    private let trust: SenderClockTrust
    private let loops: PullLoops
    private let transcoding: ReceptionTranscoding

    private struct State {
        var pull: Pull?
        /// Remains set until the end of the run, because the pull may not exist yet.
        var isStopWanted = false
    }

    private let state = Mutex(State())

    /// - Parameter transcoding: encodes what viewers cannot receive.
    init(
        _ url: RequestURL, _ settings: Configuration.Pull, trust: SenderClockTrust, on loops: PullLoops,
        transcoding: ReceptionTranscoding
    ) {
        (self.url, self.settings, self.trust) = (url, settings, trust)
        (self.loops, self.transcoding) = (loops, transcoding)
        label = url.text
    }

    func run(into stream: Stream) throws(SourceFailure) {
        defer { state.withLock { $0 = State() } }
        // With TLS, media comes inside the connection.
        let transports = url.isSecure ? [.tcp] : settings.transport.sessions
        for transport in transports {
            guard let end = try pull(over: transport, into: stream) else { return }
            let isLast = transport == transports.last
            if isLast || !end.needsOtherTransport { throw SourceFailure(end, url) }
        }
    }

    /// Pulls until the pull ends; `nil` if it was stopped.
    private func pull(over transport: SessionTransport, into stream: Stream) throws(SourceFailure) -> Pull.End? {
        var plan = SessionPlan(url, transport: transport)
        plan.login = try login
        plan.destinations = loops.destinations
        do throws(ClientSessionEnd) {
            if url.isSecure { try plan.accept(settings.certificate.certificates) }
        } catch {
            throw SourceFailure(reason: "\(url.text): \(error)")
        }
        let pull: Pull
        do throws(SystemError) {
            pull = try Pull(
                plan, into: stream, trust: trust,
                firstMediaSeconds: settings.transport.firstMediaSeconds(over: transport), transcoding: transcoding)
        } catch {
            throw SourceFailure(reason: "cannot pull \(url.text): \(error)")
        }
        let mayBegin = state.withLock { state in
            state.pull = pull
            return !state.isStopWanted
        }
        guard mayBegin else { return nil }
        loops.start(pull)
        return pull.wait()
    }

    private var login: ClientLogin? {
        get throws(SourceFailure) {
            do throws(OpenSSLFailure) {
                return try ClientLogin(at: url, user: settings.user, password: settings.password)
            } catch {
                throw SourceFailure(reason: "\(error)")
            }
        }
    }

    var input: NetworkInput? {
        state.withLock(\.pull).map { pull in
            let transport =
                url.isSecure ? "TLS" : pull.transport == .multicast ? "multicast" : pull.transport.rawValue.uppercased()
            return NetworkInput(peer: url.text, transport: transport, reception: pull.status)
        }
    }

    func change(to path: Configuration.Path) -> ReconfigurationResult { transcoding.change(to: path) }

    /// Passes the request on, if the server's description says that it takes such requests, and to what is encoded here.
    func requestKeyframe() {
        transcoding.requestKeyframe()
        state.withLock(\.pull)?.requestKeyframe()
    }

    func follow(_ order: EncoderOrder?) { transcoding.follow(order) }

    var status: SourceStatus? { transcoding.status }

    func stop() {
        let pull = state.withLock { state in
            state.isStopWanted = true
            return state.pull
        }
        pull?.stop()
    }
}

extension Pull.End {
    /// Whether another transport may work.
    var needsOtherTransport: Bool {
        switch self {
        case .session(.closed(.otherTransport)), .session(.closed(.refused(.setUp, .unsupportedTransport, _, _))): true
        // A firewall drops the packets, or the server believes that another transport was asked for.
        case .silence(_, let hadMedia): !hadMedia
        default: false
        }
    }
}

extension SourceFailure {
    /// Why a pull of this URL has ended.
    init(_ end: Pull.End, _ url: RequestURL) {
        guard case .session(let session) = end else {
            self.init(reason: "\(url.text): \(end)")
            return
        }
        let (reason, remedy) =
            switch session {
            case .insecure(.untrusted(_, let fingerprint)) where !fingerprint.isEmpty:
                (
                    session.description,
                    "if the certificate is that of the server, set pull.certificate to fingerprint:… with these digits"
                )
            case .deniedDestination:
                (session.description, "change access.connectAllow or access.connectDeny to permit it")
            case .closed(.passwordRequired):
                ("the server requires a user and a password", "set pull.user and pull.password of the path")
            case .closed(.wrongPassword): ("wrong user or password, or this user may not watch the path", "")
            default: (session.description, "")
            }
        self.init(
            reason: "\(url.text): \(reason)", remedy: remedy,
            leastPauseMilliseconds: RestartSchedule.leastPause(after: session))
    }
}
