import Capture
import RTSP
import RTSPClient
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
    private let loops: PullLoops
    private let transcoding: ReceptionTranscoding

    private struct State {
        var pull: Pull?
        /// Remains set until the end of the run, because the pull may not exist yet.
        var isStopWanted = false
    }

    private let state = Mutex(State())

    /// The pause after an answer that will hardly change soon. Some cameras lock an account after a few wrong passwords.
    static let refusalPauseMilliseconds: Int64 = 10_000

    /// - Parameter transcoding: encodes what viewers cannot receive.
    init(
        _ url: RequestURL, _ settings: Configuration.Pull, on loops: PullLoops, transcoding: ReceptionTranscoding
    ) {
        (self.url, self.settings, self.loops, self.transcoding) = (url, settings, loops, transcoding)
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
        do throws(ClientSessionEnd) {
            if url.isSecure { try plan.accept(settings.certificate.certificates) }
        } catch {
            throw SourceFailure(reason: "\(url.text): \(error)")
        }
        let pull: Pull
        do throws(SystemError) {
            pull = try Pull(plan, into: stream, transcoding: transcoding)
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
                return try ClientLogin(pulling: url, settings)
            } catch {
                throw SourceFailure(reason: "\(error)")
            }
        }
    }

    func change(to path: Configuration.Path) -> ReconfigurationResult { transcoding.change(to: path) }

    /// Cameras and other servers ignore requests for keyframes; only what is encoded here has them.
    func requestKeyframe() { transcoding.requestKeyframe() }

    var status: SourceStatus? { transcoding.status }

    func stop() {
        let pull = state.withLock { state in
            state.isStopWanted = true
            return state.pull
        }
        pull?.stop()
    }
}

extension ClientLogin {
    /// The login for a pulled stream: that of the options, or else that of the URL; `nil` without a user.
    init?(pulling url: RequestURL, _ settings: Configuration.Pull) throws(OpenSSLFailure) {
        let information = url.userInformation
        let user = settings.user.isEmpty ? information?.user : settings.user
        guard let user else { return nil }
        let password = settings.user.isEmpty ? information?.password ?? "" : settings.password
        self.init(user: user, secret: .password(password), hashes: try .openSSL()) {
            var numbers = SystemRandomNumberGenerator()
            return numbers.next()
        }
    }
}

extension Pull.End {
    /// Whether the server may accept another transport.
    fileprivate var needsOtherTransport: Bool {
        guard case .session(.closed(let reason)) = self else { return false }
        switch reason {
        case .otherTransport, .refused(.setUp, .unsupportedTransport, _): return true
        default: return false
        }
    }
}

extension SourceFailure {
    fileprivate init(_ end: Pull.End, _ url: RequestURL) {
        let reason = "\(url.text): \(end)"
        if case .session(.insecure(.untrusted(_, let fingerprint))) = end, !fingerprint.isEmpty {
            self.init(
                reason: reason,
                remedy:
                    "if the certificate is that of the server, set pull.certificate to fingerprint:… with these digits",
                leastPauseMilliseconds: PulledSource.refusalPauseMilliseconds)
            return
        }
        guard case .session(.closed(let cause)) = end else {
            self.init(reason: reason)
            return
        }
        switch cause {
        case .passwordRequired:
            self.init(
                reason: "\(url.text): the server requires a user and a password",
                remedy: "set pull.user and pull.password of the path",
                leastPauseMilliseconds: PulledSource.refusalPauseMilliseconds)
        case .wrongPassword:
            self.init(
                reason: "\(url.text): wrong user or password, or this user may not watch the path",
                leastPauseMilliseconds: PulledSource.refusalPauseMilliseconds)
        case .refused(_, .unauthorized, _), .refused(_, .forbidden, _), .refused(_, .notFound, _):
            self.init(reason: reason, leastPauseMilliseconds: PulledSource.refusalPauseMilliseconds)
        default: self.init(reason: reason)
        }
    }
}
