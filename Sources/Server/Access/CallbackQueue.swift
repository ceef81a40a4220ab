import Media
import RTSP

/// The questions for the web server that decides: those that are asked now, those that wait, and the recent refusals.
///
/// ```
///               | refused within 1 s | its address has its share | a thread is free | all are busy
/// add           | refused            | tooManyOfAddress          | start            | wait, or tooMany
/// finished      |                    the next one that waits, or the thread is free
/// ```
/// A value without a clock or a thread.
struct CallbackQueue: Sendable {
    struct PendingRequest: Sendable {
        let question: ExternalAuthorisationRequest
        /// The name of the client's connection.
        let connection: String
        let deadline: MonotonicTime
        let answer: @Sendable (AccessDecision) -> Void
    }

    enum AddResult: Hashable, Sendable {
        /// One more thread is to ask the web server.
        case start
        /// A thread that asks already takes it later.
        case wait
        /// The same question has just been refused.
        case refused
        /// As many questions of its address are asked or wait as one address may have.
        case tooManyOfAddress
        case tooMany
    }

    /// As many as a web server with few workers answers at once.
    static let threadLimit = 4
    /// With a web server that does not answer, the last of them waits 16 times as long as the first.
    static let waitingLimit = 64
    /// In nanoseconds. Players repeat a refused request at once, some three times.
    static let refusalLifetime: Int64 = 1_000_000_000
    /// Refusals that are remembered, at 32 bytes each.
    static let refusalLimit = 4_096

    /// Questions of one address that may be asked or wait at the same time.
    private let addressLimit: Int
    private var waiting: [PendingRequest] = []
    private var threadCount = 0
    /// By the client's network; `nil` for addresses that cannot be read.
    private var counts: [IPAddress?: Int] = [:]
    /// When a refusal is forgotten, by the hash of its question. The seed of the hash is random for each process, so no client can
    /// choose a question with the hash of another; and no password stays in memory.
    private var refusals: [Int: MonotonicTime] = [:]

    /// For tests.
    var refusalCount: Int { refusals.count }

    init(addressLimit: Int) {
        self.addressLimit = addressLimit
    }

    /// Takes a question up, if there is room for it.
    mutating func add(_ pending: PendingRequest, at now: MonotonicTime) -> AddResult {
        if let end = refusals[pending.question.hashValue], now < end { return .refused }
        let network = pending.question.network
        guard counts[network, default: 0] < addressLimit else { return .tooManyOfAddress }
        guard threadCount == Self.threadLimit else {
            threadCount += 1
            counts[network, default: 0] += 1
            return .start
        }
        guard waiting.count < Self.waitingLimit else { return .tooMany }
        counts[network, default: 0] += 1
        waiting.append(pending)
        return .wait
    }

    /// A question was decided, and its thread is free.
    ///
    /// - Returns: the question that the thread asks next; `nil` if the thread is to end.
    mutating func finished(_ pending: PendingRequest, _ decision: AccessDecision, at now: MonotonicTime)
        -> PendingRequest?
    {
        let network = pending.question.network
        let count = counts[network, default: 1] - 1
        counts[network] = count > 0 ? count : nil
        if decision == .refused { remember(pending.question, at: now) }
        guard waiting.isEmpty else { return waiting.removeFirst() }
        threadCount -= 1
        return nil
    }

    private mutating func remember(_ question: ExternalAuthorisationRequest, at now: MonotonicTime) {
        if refusals.count >= Self.refusalLimit { refusals = refusals.filter { now < $0.value } }
        // More than that in one second: the web server is quick, and can be asked again.
        if refusals.count >= Self.refusalLimit { refusals = [:] }
        refusals[question.hashValue] = now + Self.refusalLifetime
    }
}

extension ExternalAuthorisationRequest {
    /// What its client's requests are counted by.
    fileprivate var network: IPAddress? { IPAddress(address)?.clientNetwork }
}
