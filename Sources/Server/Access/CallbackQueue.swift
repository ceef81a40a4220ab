import Media
import RTSP

/// The requests to the web server that decides: those in progress, those that wait, and recent refusals.
///
/// ```
///               | refused within 1 s | limit of the address reached | a thread is free | all are busy
/// add           | refused            | tooManyOfAddress             | start            | wait, or tooMany
/// finished      |                    the next one that waits, or the thread is free
/// ```
/// A value without a clock and without threads.
struct CallbackQueue: Sendable {
    struct PendingRequest: Sendable {
        let question: ExternalAuthorisationRequest
        /// The identifier of the client's connection.
        let connection: String
        let deadline: MonotonicTime
        let answer: @Sendable (AccessDecision) -> Void
    }

    enum AddResult: Hashable, Sendable {
        /// The caller must start a thread that sends it.
        case start
        /// A thread that is running takes it later.
        case wait
        /// The same request has just been refused.
        case refused
        /// The address has as many requests in progress or waiting as one address may have.
        case tooManyOfAddress
        case tooMany
    }

    /// A web server with few workers answers this many at the same time.
    static let threadLimit = 4
    /// If the web server does not answer, the last of them waits 16 times as long as the first.
    static let waitingLimit = 64
    /// In nanoseconds. Players repeat a refused request at once, some of them three times.
    static let refusalLifetime: Int64 = 1_000_000_000
    /// Maximum number of stored refusals, at 32 bytes each.
    static let refusalLimit = 4_096

    /// Requests of one address that may be in progress or wait at the same time.
    private let addressLimit: Int
    private var waiting: [PendingRequest] = []
    private var threadCount = 0
    /// Requests by the network of the client; `nil` stands for addresses that cannot be parsed.
    private var counts: [IPAddress?: Int] = [:]
    /// The expiry of each refusal, by the hash of its request. The seed of the hash is random in each process, so a client cannot
    /// choose a request with the hash of another; and no password stays in memory.
    private var refusals: [Int: MonotonicTime] = [:]

    /// For tests.
    var refusalCount: Int { refusals.count }

    init(addressLimit: Int) {
        self.addressLimit = addressLimit
    }

    /// Adds a request, if the limits allow it.
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

    /// Call this when a request was decided.
    ///
    /// - Returns: the request that the thread sends next; `nil` if the thread must end.
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
        // So many in one second: the web server is fast, and can be asked again.
        if refusals.count >= Self.refusalLimit { refusals = [:] }
        refusals[question.hashValue] = now + Self.refusalLifetime
    }
}

extension ExternalAuthorisationRequest {
    /// The network by which the requests of its client are counted.
    fileprivate var network: IPAddress? { IPAddress(address)?.clientNetwork }
}
