import Media

/// The client's side of ICE for one session: it checks the server's candidates, uses the first one that answers, and keeps the server's
/// consent (RFC 8445, section 7.2; RFC 7675). It is always the controlling agent, because it makes the offer.
///
/// | event | effect |
/// |---|---|
/// | beginning | the candidates are checked, the best first, one each 50 ms |
/// | no answer | the check is repeated after 100 ms, and then after twice as long each time, up to 1.6 s |
/// | first valid answer | its candidate is selected and nominated; the others are not checked any more |
/// | nomination answered | the candidate is checked each 4 to 6 s |
/// | valid check of the server | it is answered, because servers without ICE-lite check, too |
/// | no answer within 5 s, or none for 30 s later | the session expires |
///
/// Candidates are named by their index.
public struct ICEConnector: Sendable {
    /// The candidate over which DTLS and media go; `nil` before the first valid answer.
    public private(set) var selected: Int?
    /// The shortest time from a check to its answer, in nanoseconds; `nil` before the first answer.
    public private(set) var shortestRoundTrip: Int64?
    private let local: ICECredentials
    private let remote: ICECredentials
    private let tieBreaker: UInt64
    private let start: MonotonicTime
    private var schedules: [Schedule]
    /// The checks that wait for an answer, at most ``pendingLimit``.
    private var pending: [PendingCheck] = []
    private var nextTransaction: STUNTransaction
    private var isNominated = false
    private var lastAnswer: MonotonicTime?
    private var isExpired = false
    /// The error with which the server has answered last.
    private var refusal: String?

    /// When a candidate is checked.
    private struct Schedule: Sendable {
        var next: MonotonicTime
        /// In milliseconds.
        var interval: Int64
    }

    private struct PendingCheck: Sendable {
        let transaction: STUNTransaction
        let candidate: Int
        let sentAt: MonotonicTime
        let nominates: Bool
    }

    /// What the connector wants to be done.
    public enum Order: Hashable, Sendable {
        case send([UInt8], to: Int)
        /// DTLS and media go to this candidate from now on.
        case select(Int)
        case expire(Expiry)
    }

    public enum Expiry: Hashable, Sendable {
        /// No candidate has answered; `refusal` is the last error that one has answered.
        case noAnswer(seconds: Int64, refusal: String?)
        /// The server has not answered any more.
        case noConsent(seconds: Int64)
    }

    /// The time between the first checks of two candidates (RFC 8445, section 14.2).
    private static let pace: Int64 = 50
    private static let (firstInterval, longestInterval): (Int64, Int64) = (100, 1_600)
    /// A path answers within a round trip; if packets are lost, six checks of each candidate remain. The server waits for longer
    /// (``ICEAgent``).
    private static let answerSeconds: Int64 = 5
    /// How long consent lasts (RFC 7675, section 5.1).
    private static let consentSeconds: Int64 = 30
    private static let pendingLimit = 64

    /// - Parameters:
    ///   - transaction: a random number. The following checks count from it: they are protected by a key, so that only the first must be
    ///     unpredictable.
    public init(
        local: ICECredentials, remote: ICECredentials, candidateCount: Int, tieBreaker: UInt64,
        transaction: STUNTransaction, at now: MonotonicTime
    ) {
        (self.local, self.remote, self.tieBreaker, start) = (local, remote, tieBreaker, now)
        nextTransaction = transaction
        schedules = (0..<candidateCount).map {
            Schedule(next: now.advanced(byMilliseconds: Int64($0) * Self.pace), interval: Self.firstInterval)
        }
    }

    /// When to call ``deadlinePassed(at:authenticate:)``.
    public var nextDeadline: MonotonicTime {
        guard !isExpired else { return .distantFuture }
        return schedules.reduce(expiry) { min($0, $1.next) }
    }

    private var expiry: MonotonicTime {
        lastAnswer.map { $0.advanced(byMilliseconds: Self.consentSeconds * 1_000) }
            ?? start.advanced(byMilliseconds: Self.answerSeconds * 1_000)
    }

    /// Sends the checks that are due.
    public mutating func deadlinePassed(at now: MonotonicTime, authenticate: MessageAuthentication) -> [Order] {
        guard !isExpired else { return [] }
        guard now < expiry else {
            isExpired = true
            return [
                .expire(
                    lastAnswer == nil
                        ? .noAnswer(seconds: Self.answerSeconds, refusal: refusal)
                        : .noConsent(seconds: Self.consentSeconds))
            ]
        }
        return schedules.indices.filter { schedules[$0].next <= now }.map { check($0, at: now, authenticate) }
    }

    private mutating func check(_ candidate: Int, at now: MonotonicTime, _ authenticate: MessageAuthentication) -> Order
    {
        let interval = schedules[candidate].interval
        // The number of the check varies the interval, so that many clients do not check at once (RFC 7675, section 5.1).
        let wait = isNominated ? 4_000 + Int64(nextTransaction.low % 2_000) : interval
        schedules[candidate] = Schedule(
            next: now.advanced(byMilliseconds: wait), interval: min(2 * interval, Self.longestInterval))
        let nominates = candidate == selected
        var message = STUNMessage(
            checkOf: remote, by: local, nextTransaction, role: .controlling(tieBreaker))
        if nominates { message.attributes.append(.useCandidate) }
        pending.append(
            PendingCheck(transaction: nextTransaction, candidate: candidate, sentAt: now, nominates: nominates))
        if pending.count > Self.pendingLimit { pending.removeFirst() }
        nextTransaction = STUNTransaction(high: nextTransaction.high, low: nextTransaction.low &+ 1)
        return .send(
            message.encoded(key: Array(remote.password.utf8), authenticate: authenticate), to: candidate)
    }

    /// Handles a message that came from a candidate.
    ///
    /// - Parameters:
    ///   - datagram: the bytes from which the message was parsed.
    ///   - address: that of the candidate.
    public mutating func received(
        _ message: STUNMessage, in datagram: RawSpan, from candidate: Int, at address: TransportAddress,
        at now: MonotonicTime, authenticate: MessageAuthentication
    ) -> [Order] {
        guard !isExpired, message.method == STUNMessage.binding else { return [] }
        switch message.kind {
        case .request: return receivedCheck(message, in: datagram, from: candidate, at: address, authenticate)
        case .success:
            let key = Array(remote.password.utf8)
            guard let check = takePending(message, from: candidate),
                message.isAuthentic(in: datagram, key: key, authenticate: authenticate)
            else { return [] }
            return answered(check, at: now, authenticate)
        case .error:
            // It may lack the integrity (RFC 8489, section 9.1.3), so it has no other effect than on the message to the user.
            guard takePending(message, from: candidate) != nil else { return [] }
            for case .errorCode(let code, let reason) in message.attributes { refusal = "\(code) \(reason)" }
            return []
        case .indication: return []
        }
    }

    private mutating func takePending(_ message: STUNMessage, from candidate: Int) -> PendingCheck? {
        pending.firstIndex { $0.transaction == message.transaction && $0.candidate == candidate }
            .map { pending.remove(at: $0) }
    }

    private mutating func answered(
        _ check: PendingCheck, at now: MonotonicTime, _ authenticate: MessageAuthentication
    ) -> [Order] {
        shortestRoundTrip = min(shortestRoundTrip ?? .max, now - check.sentAt)
        if selected == nil {
            selected = check.candidate
            lastAnswer = now
            for index in schedules.indices { schedules[index].next = .distantFuture }
            schedules[check.candidate].interval = Self.firstInterval
            return [.select(check.candidate), self.check(check.candidate, at: now, authenticate)]
        }
        guard check.candidate == selected else { return [] }
        lastAnswer = now
        if check.nominates, !isNominated {
            isNominated = true
            // Consent is fresh; the next check is due later.
            schedules[check.candidate].next = now.advanced(byMilliseconds: 4_000)
        }
        return []
    }

    private func receivedCheck(
        _ message: STUNMessage, in datagram: RawSpan, from candidate: Int, at address: TransportAddress,
        _ authenticate: MessageAuthentication
    ) -> [Order] {
        let key = Array(local.password.utf8)
        guard message.localFragment == local.userFragment,
            message.isAuthentic(in: datagram, key: key, authenticate: authenticate)
        else { return [] }
        let answer = STUNMessage(.success, transaction: message.transaction, attributes: [.mappedAddress(address)])
        return [.send(answer.encoded(key: key, authenticate: authenticate), to: candidate)]
    }
}
