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
    private enum Complaint: Hashable {
        case undecided
        case tooManyOfAddress
    }

    private struct State {
        var queue: CallbackQueue
        var lastComplaints: [Complaint: MonotonicTime] = [:]
    }

    /// Between two lines of the log about the same, in nanoseconds.
    private static let complaintInterval: Int64 = 60_000_000_000

    private let url: String
    /// In nanoseconds.
    private let patience: Int64
    private let log: Logger
    private let state: Mutex<State>

    /// `nil` where the configuration has nobody decide.
    init?(_ access: Configuration.Access, log: Logger) {
        guard !access.httpCallback.isEmpty else { return nil }
        url = access.httpCallback
        patience = Int64(access.httpCallbackMilliseconds) * 1_000_000
        self.log = log
        state = Mutex(State(queue: CallbackQueue(addressLimit: access.httpCallbackPerAddress)))
    }

    func decide(
        _ question: ExternalAuthorisationRequest, for connection: String, _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        let now = MonotonicTime.now()
        let inquiry = CallbackQueue.Inquiry(
            question: question, connection: connection, deadline: now + patience, answer: answer)
        switch state.withLock({ $0.queue.add(inquiry, at: now) }) {
        case .start: start(inquiry)
        case .wait: break
        case .refused: answer(.refused)
        case .tooManyOfAddress:
            complain(
                .tooManyOfAddress, "too many requests of one address wait for access.httpCallback: \(question.address)")
            answer(.tooManyWaiting)
        case .tooMany:
            complain("\(CallbackQueue.waitingLimit) questions wait for an answer already")
            answer(.unavailable)
        }
    }

    private func start(_ inquiry: CallbackQueue.Inquiry) {
        do throws(SystemError) {
            try startDetachedThread(name: "apus-callback") { [self] in work(from: inquiry) }
        } catch {
            complain("no thread to ask on: \(error)")
            // Nothing waits, unless there were threads enough before: at most all that waits is given up here.
            if let next = finish(inquiry, .unavailable) { start(next) }
        }
    }

    /// Asks one question after the other, over one connection as long as it lasts.
    private func work(from first: CallbackQueue.Inquiry) {
        var client: HTTPClient?
        var next: CallbackQueue.Inquiry? = first
        while let inquiry = next { next = finish(inquiry, decision(on: inquiry, by: &client)) }
    }

    /// Answers a question, which does not count any more by then.
    ///
    /// - Returns: what is to be asked next.
    private func finish(_ inquiry: CallbackQueue.Inquiry, _ decision: AccessDecision) -> CallbackQueue.Inquiry? {
        let next = state.withLock { $0.queue.finished(inquiry, decision, at: .now()) }
        inquiry.answer(decision)
        return next
    }

    private func decision(on inquiry: CallbackQueue.Inquiry, by client: inout HTTPClient?) -> AccessDecision {
        // Text can always be encoded; if not, nobody has decided.
        guard let body = try? inquiry.question.json(for: inquiry.connection) else { return .unavailable }
        do throws(HTTPFailure) {
            let remaining = inquiry.deadline - .now()
            guard remaining > 0 else { throw HTTPFailure(description: "no answer came in time") }
            if client == nil { client = try HTTPClient(posting: url) }
            guard let client else { return .unavailable }
            let status = try client.post(body, withinMilliseconds: max(1, remaining / 1_000_000))
            return (200..<300).contains(status) ? .admitted : .refused
        } catch {
            client = nil
            complain(error.description)
            return .unavailable
        }
    }

    /// Says in the log why nobody decides.
    private func complain(_ reason: String) {
        complain(
            .undecided, "nobody decides who may watch",
            ["access.httpCallback": "\(UserInformation.removed(from: url))", "reason": "\(reason)"])
    }

    /// Says something in the log, once a minute: else one client could fill it.
    private func complain(_ complaint: Complaint, _ message: String, _ metadata: Logger.Metadata = [:]) {
        let now = MonotonicTime.now()
        let isDue = state.withLock { state in
            if let last = state.lastComplaints[complaint], now - last < Self.complaintInterval { return false }
            state.lastComplaints[complaint] = now
            return true
        }
        if isDue { log.warning("\(message)", metadata: metadata) }
    }
}
