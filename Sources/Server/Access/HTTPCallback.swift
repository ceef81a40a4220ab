import Dispatch
import Logging
import Media
import RTSP
import RTSPServer
import Reactor
import Synchronization

/// Asks a web server who may do what, on threads of its own: no event loop waits for it.
///
/// Four questions are asked at once and sixty-four wait; more are answered at once that nobody decides. From any thread.
final class HTTPCallback: AccessAuthority {
    private struct Inquiry {
        let body: [UInt8]
        let deadline: MonotonicTime
        let answer: @Sendable (AccessDecision) -> Void
    }

    private struct State {
        var waiting: [Inquiry] = []
        var workerCount = 0
        /// When it was last said in the log that no answer came.
        var lastComplaint: MonotonicTime?
    }

    private static let workerLimit = 4
    private static let waitingLimit = 64
    /// Between two lines of the log about the same, in nanoseconds.
    private static let complaintInterval: Int64 = 60_000_000_000

    private let url: String
    /// In nanoseconds.
    private let patience: Int64
    private let log: Logger
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apus.callback", attributes: .concurrent)

    /// `nil` where the configuration has nobody decide.
    init?(_ access: Configuration.Access, log: Logger) {
        guard !access.httpCallback.isEmpty else { return nil }
        url = access.httpCallback
        patience = Int64(access.httpCallbackMilliseconds) * 1_000_000
        self.log = log
    }

    func decide(
        _ question: AccessQuestion, for connection: String, _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        // Text can always be encoded; if not, nobody has decided.
        guard let body = try? question.json(for: connection) else { return answer(.unavailable) }
        let inquiry = Inquiry(body: body, deadline: .now() + patience, answer: answer)
        switch take(inquiry) {
        case .begun: queue.async { [self] in work(from: inquiry) }
        case .waiting: break
        case .tooMany:
            complain("\(Self.waitingLimit) questions wait for an answer already")
            answer(.unavailable)
        }
    }

    private enum Taken {
        case begun
        case waiting
        case tooMany
    }

    private func take(_ inquiry: Inquiry) -> Taken {
        state.withLock { state in
            guard state.workerCount == Self.workerLimit else {
                state.workerCount += 1
                return .begun
            }
            guard state.waiting.count < Self.waitingLimit else { return .tooMany }
            state.waiting.append(inquiry)
            return .waiting
        }
    }

    /// Asks one question after the other, over one connection as long as it lasts.
    private func work(from first: Inquiry) {
        var client: HTTPClient?
        var next: Inquiry? = first
        while let inquiry = next {
            inquiry.answer(decision(on: inquiry, by: &client))
            next = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.workerCount -= 1
                return nil
            }
        }
    }

    private func decision(on inquiry: Inquiry, by client: inout HTTPClient?) -> AccessDecision {
        do throws(HTTPFailure) {
            let remaining = inquiry.deadline - .now()
            guard remaining > 0 else { throw HTTPFailure(description: "no answer came in time") }
            if client == nil { client = try HTTPClient(posting: url) }
            guard let client else { return .unavailable }
            let status = try client.post(inquiry.body, withinMilliseconds: max(1, remaining / 1_000_000))
            return (200..<300).contains(status) ? .admitted : .refused
        } catch {
            client = nil
            complain(error.description)
            return .unavailable
        }
    }

    /// Says in the log why nobody decides, once a minute: else one client could fill it.
    private func complain(_ reason: String) {
        let now = MonotonicTime.now()
        let isDue = state.withLock { state in
            if let last = state.lastComplaint, now - last < Self.complaintInterval { return false }
            state.lastComplaint = now
            return true
        }
        guard isDue else { return }
        log.warning(
            "nobody decides who may watch",
            metadata: ["access.httpCallback": "\(UserInformation.removed(from: url))", "reason": "\(reason)"])
    }
}
