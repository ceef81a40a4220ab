import Logging
import Media
import RTSP
import RTSPServer
import Reactor
import Synchronization

/// Asks a web server who may do what. From any thread.
///
/// It has threads of its own, `apus-callback`, which block while the web server thinks: no event loop, and no thread of the
/// concurrency runtime or of Dispatch, waits for it. How many questions there may be says ``CallbackQueue``.
final class HTTPCallback: ExternalAuthoriser {
    /// What is told in the log once a minute at most, each by itself.
    private enum WarningKind: Hashable {
        case undecided
        case tooManyOfAddress
    }

    private struct State {
        var queue: CallbackQueue
        var lastWarnings: [WarningKind: MonotonicTime] = [:]
    }

    /// Between two lines of the log about the same, in nanoseconds.
    private static let warningInterval: Int64 = 60_000_000_000

    private let url: String
    /// In nanoseconds.
    private let timeout: Int64
    private let log: Logger
    private let state: Mutex<State>

    /// `nil` where the configuration has nobody decide.
    init?(_ access: Configuration.Access, log: Logger) {
        guard !access.httpCallback.isEmpty else { return nil }
        url = access.httpCallback
        timeout = Int64(access.httpCallbackMilliseconds) * 1_000_000
        self.log = log
        state = Mutex(State(queue: CallbackQueue(addressLimit: access.httpCallbackPerAddress)))
    }

    func decide(
        _ question: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        let now = MonotonicTime.now()
        let pending = CallbackQueue.PendingRequest(
            question: question, connection: connection, deadline: now + timeout, answer: answer)
        switch state.withLock({ $0.queue.add(pending, at: now) }) {
        case .start: start(pending)
        case .wait: break
        case .refused: answer(.refused)
        case .tooManyOfAddress:
            warn(
                .tooManyOfAddress, "too many requests of one address wait for access.httpCallback: \(question.address)")
            answer(.tooManyWaiting)
        case .tooMany:
            warn("\(CallbackQueue.waitingLimit) questions wait for an answer already")
            answer(.unavailable)
        }
    }

    private func start(_ pending: CallbackQueue.PendingRequest) {
        do throws(SystemError) {
            try startDetachedThread(name: "apus-callback") { [self] in work(from: pending) }
        } catch {
            warn("no thread to ask on: \(error)")
            // Nothing waits, unless there were threads enough before: at most all that waits is given up here.
            if let next = finish(pending, .unavailable) { start(next) }
        }
    }

    /// Asks one question after the other, over one connection as long as it lasts.
    private func work(from first: CallbackQueue.PendingRequest) {
        var client: HTTPClient?
        var next: CallbackQueue.PendingRequest? = first
        while let pending = next { next = finish(pending, decision(on: pending, by: &client)) }
    }

    /// Answers a question, which does not count any more by then.
    ///
    /// - Returns: what is to be asked next.
    private func finish(_ pending: CallbackQueue.PendingRequest, _ decision: AccessDecision) -> CallbackQueue
        .PendingRequest?
    {
        let next = state.withLock { $0.queue.finished(pending, decision, at: .now()) }
        pending.answer(decision)
        return next
    }

    private func decision(on pending: CallbackQueue.PendingRequest, by client: inout HTTPClient?) -> AccessDecision {
        // Text can always be encoded; if not, nobody has decided.
        guard let body = try? pending.question.json(for: pending.connection) else { return .unavailable }
        do throws(HTTPFailure) {
            let remaining = pending.deadline - .now()
            guard remaining > 0 else { throw HTTPFailure(description: "no answer came in time") }
            if client == nil { client = try HTTPClient(posting: url) }
            guard let client else { return .unavailable }
            let status = try client.post(body, withinMilliseconds: max(1, remaining / 1_000_000))
            return (200..<300).contains(status) ? .admitted : .refused
        } catch {
            client = nil
            warn(error.description)
            return .unavailable
        }
    }

    /// Says in the log why nobody decides.
    private func warn(_ reason: String) {
        warn(
            .undecided, "nobody decides who may watch",
            ["access.httpCallback": "\(UserInformation.removed(from: url))", "reason": "\(reason)"])
    }

    /// Says something in the log, once a minute: else one client could fill it.
    private func warn(_ kind: WarningKind, _ message: String, _ metadata: Logger.Metadata = [:]) {
        let now = MonotonicTime.now()
        let isDue = state.withLock { state in
            if let last = state.lastWarnings[kind], now - last < Self.warningInterval { return false }
            state.lastWarnings[kind] = now
            return true
        }
        if isDue { log.warning("\(message)", metadata: metadata) }
    }
}
