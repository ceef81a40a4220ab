import Capture
import Connecting
import Delivery
import RTP
import RateControl
import Reactor
import Streams
import Synchronization

/// A protocol by which streams of other servers and of cameras are pulled.
protocol PullProtocol: Sendable {
    /// What is pulled, and how.
    associatedtype Plan: Sendable
    /// Why a pull has ended.
    associatedtype End: Sendable

    /// The URL without user and password.
    var label: String { get }
    /// Whether the server's time of day is believed.
    var trust: SenderClockTrust { get }

    /// The ways to pull, in the order in which to try them.
    func plans() throws(SourceFailure) -> [Plan]
    /// How media comes, for users: `TCP`, `UDP`, `multicast`, `TLS`, `RTMP`, `RTMPS`, `SRT`.
    func transport(of plan: Plan) -> String
    /// Begins a pull on a media loop.
    func start(_ pull: Pull<Plan, End>)
    /// Whether the next way may work after such an end.
    func needsOtherWay(after end: End) -> Bool
    /// The end, for the log.
    func failure(_ end: End) -> SourceFailure
}

/// The stream of another server or of a camera.
///
/// The supervisor's thread waits here, while a media loop receives and publishes. There is one session, however many viewers there are.
final class PulledSource<Pulling: PullProtocol>: PathSource {
    private let pulling: Pulling
    private let transcoding: ReceptionTranscoding

    private struct State {
        var pull: Pull<Pulling.Plan, Pulling.End>?
        /// Remains set until the end of the run, because the pull may not exist yet.
        var isStopWanted = false
    }

    private let state = Mutex(State())

    /// - Parameter transcoding: encodes what viewers cannot receive.
    init(by pulling: Pulling, transcoding: ReceptionTranscoding) {
        (self.pulling, self.transcoding) = (pulling, transcoding)
    }

    var label: String { pulling.label }

    func run(into stream: Stream) throws(SourceFailure) {
        defer { state.withLock { $0 = State() } }
        let plans = try pulling.plans()
        for (index, plan) in plans.enumerated() {
            guard let end = try pull(plan, into: stream) else { return }
            let isLast = index == plans.count - 1
            if isLast || !pulling.needsOtherWay(after: end) { throw pulling.failure(end) }
        }
    }

    /// Pulls until the pull ends; `nil` if it was stopped.
    private func pull(_ plan: Pulling.Plan, into stream: Stream) throws(SourceFailure) -> Pulling.End? {
        let pull: Pull<Pulling.Plan, Pulling.End>
        do throws(SystemError) {
            pull = try Pull(
                plan, into: StreamInput(into: stream, trust: pulling.trust, transcoding: transcoding))
        } catch {
            throw SourceFailure(reason: "cannot pull \(label): \(error)")
        }
        let mayBegin = state.withLock { state in
            state.pull = pull
            return !state.isStopWanted
        }
        guard mayBegin else { return nil }
        pulling.start(pull)
        return pull.wait()
    }

    var input: NetworkInput? {
        state.withLock(\.pull).map { pull in
            NetworkInput(peer: label, transport: pulling.transport(of: pull.plan), reception: pull.status)
        }
    }

    func change(to path: Configuration.Path) -> ReconfigurationResult { transcoding.change(to: path) }

    /// Passes the request on, if the server takes such requests, and to what is encoded here.
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

extension SourceFailure {
    /// A session with another server that has ended.
    init(_ failure: SessionFailure, at label: String) {
        let (reason, remedy) =
            switch failure.kind {
            case .untrustedCertificate(let fingerprint) where !fingerprint.isEmpty:
                (
                    failure.reason,
                    "if the certificate is that of the server, set pull.certificate to fingerprint:… with these digits"
                )
            case .deniedDestination: (failure.reason, "change access.connectAllow or access.connectDeny to permit it")
            case .passwordRequired:
                ("the server requires a user and a password", "set pull.user and pull.password of the path")
            case .wrongPassword: ("wrong user or password, or this user may not watch the path", "")
            default: (failure.reason, "")
            }
        self.init(
            reason: "\(label): \(reason)", remedy: remedy,
            leastPauseMilliseconds: RestartSchedule.leastPause(after: failure))
    }
}
