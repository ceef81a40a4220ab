import Logging
import Media
import RTSP
import RTSPServer
import Reactor
import Synchronization

/// Asks a web server whether clients may do what they request. May be used from any thread.
///
/// Its own threads, `apus-callback`, wait for the web server, so that no event loop, and no thread of the concurrency runtime or of
/// Dispatch, has to. ``CallbackQueue`` limits the number of requests.
final class HTTPCallback: ExternalAuthoriser {
    /// The kinds of warning. Each is logged at most once a minute.
    private enum WarningKind: Hashable {
        case undecided
        case tooManyOfAddress
    }

    private struct State {
        var queue: CallbackQueue
        var lastWarnings: [WarningKind: MonotonicTime] = [:]
    }

    /// Time between two warnings of the same kind, in nanoseconds.
    private static let warningInterval: Int64 = 60_000_000_000

    private let url: String
    /// In nanoseconds.
    private let timeout: Int64
    private let log: Logger
    private let state: Mutex<State>

    /// `nil` if the configuration has no such web server.
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
                .tooManyOfAddress, "too many requests of the address \(question.address) wait for access.httpCallback")
            answer(.tooManyWaiting)
        case .tooMany:
            warn("\(CallbackQueue.waitingLimit) requests wait for an answer already")
            answer(.unavailable)
        }
    }

    private func start(_ pending: CallbackQueue.PendingRequest) {
        do throws(SystemError) {
            try startDetachedThread(name: "apus-callback") { [self] in work(from: pending) }
        } catch {
            warn("cannot start a thread: \(error)")
            // Requests wait only if all threads were running before; at most, each waiting request fails here.
            if let next = finish(pending, .unavailable) { start(next) }
        }
    }

    /// Sends one request after the other, over one connection if the web server keeps it open.
    private func work(from first: CallbackQueue.PendingRequest) {
        var client: HTTPClient?
        var next: CallbackQueue.PendingRequest? = first
        while let pending = next { next = finish(pending, decision(on: pending, by: &client)) }
    }

    /// Removes a request from the queue, then reports its decision.
    ///
    /// - Returns: the request to send next.
    private func finish(_ pending: CallbackQueue.PendingRequest, _ decision: AccessDecision) -> CallbackQueue
        .PendingRequest?
    {
        let next = state.withLock { $0.queue.finished(pending, decision, at: .now()) }
        pending.answer(decision)
        return next
    }

    private func decision(on pending: CallbackQueue.PendingRequest, by client: inout HTTPClient?) -> AccessDecision {
        // Text can always be encoded; otherwise there is no decision.
        guard let body = try? pending.question.json(for: pending.connection) else { return .unavailable }
        do throws(HTTPFailure) {
            let remaining = pending.deadline - .now()
            guard remaining > 0 else { throw HTTPFailure(description: "no answer in time") }
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

    /// Logs why there is no decision.
    private func warn(_ reason: String) {
        warn(
            .undecided, "access.httpCallback gives no decision, so its clients are refused",
            ["access.httpCallback": "\(UserInformation.removed(from: url))", "reason": "\(reason)"])
    }

    /// Logs a warning at most once a minute, because one client could cause any number.
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
