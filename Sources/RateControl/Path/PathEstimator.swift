import Media

/// Estimates the rate that one viewer's path carries, from whatever its transport tells.
///
/// A viewer has one estimator. It holds about a kilobyte, and allocates nothing. It starts at the maximum, because a stream
/// starts with its configured bitrate. Reports may lie: they change this viewer's estimate alone, and only within the limits.
public struct PathEstimator: Sendable {
    private var rule: RateRule
    private var cause: RateReason?
    private let repair: Repair
    private var losses = LossHistory()
    private var feedback = FeedbackHistory()
    /// Packets that were sent again, in the time of sending. Transport-wide feedback does not tell of them.
    private var repairs = ArrivalRate()
    /// The end of the last feedback; while there is some, receiver reports tell nothing new.
    private var lastFeedback: MonotonicTime?
    /// Since when the lag has been too large without interruption.
    private var laggingSince: MonotonicTime?
    private var lastLossCut: MonotonicTime?

    /// Lags in nanoseconds: from the first on, the rate is reduced; from the second on, strongly. Below the third the queue is
    /// empty.
    private static let mildLag: Int64 = 100_000_000
    private static let severeLag: Int64 = 300_000_000
    private static let drainedLag: Int64 = 50_000_000

    /// - Parameter hasRenditions: whether the viewer is sent one of several streams, and not one that follows the estimate.
    public init(limits: RateLimits, repair: Repair, hasRenditions: Bool = false) {
        rule = RateRule(limits: limits, sending: hasRenditions ? .oneOfSeveral : .theRate)
        self.repair = repair
    }

    /// The limits changed, such as the configured bitrate.
    public mutating func change(_ limits: RateLimits) {
        rule.change(limits)
    }

    public var estimate: PathEstimate { PathEstimate(rate: rule.rate, reason: cause ?? reason) }

    /// The reason if there is no congestion.
    private var reason: RateReason {
        switch rule.state {
        case .unconstrained: .unconstrained
        case .draining: .draining
        case .recovering: .recovering
        case .waiting: .belowLimit
        case .probing: .probing
        case .growing: .growing
        }
    }

    /// Handles what a reliable transport knows about its backlog. Call it every 100 ms or more often.
    public mutating func observed(_ sample: BacklogSample, at now: MonotonicTime) {
        if sample.isPlayerSlow {
            cause = .slowPlayer
            return
        }
        // Another connection may have filled the queue, unless this one has more to send, or tries whether the path carries more.
        let isOwnQueue = sample.lag > 0 || !sample.isApplicationLimited || rule.isTrying
        // Both are times, and far from overflow; a lie is cut.
        let lag = min(max(0, sample.lag), 1 << 60) + (isOwnQueue ? min(sample.queueTime, 1 << 60) : 0)
        guard lag > Self.mildLag else {
            return clear(
                delivered: sample.delivered, burst: sample.delivered, isDrained: lag < Self.drainedLag, at: now)
        }
        congested(by: lag, delivered: delivered(sample), at: now)
    }

    /// What the path delivers; what an application-limited sample tells is at least that, and may be old, so no more than the
    /// rate counts.
    private func delivered(_ sample: BacklogSample) -> DataRate {
        guard let delivered = sample.delivered else { return rule.rate }
        return sample.isApplicationLimited ? min(delivered, rule.rate) : delivered
    }

    private func hasFeedback(at now: MonotonicTime) -> Bool { lastFeedback.map { now - $0 < 2_000_000_000 } ?? false }

    /// Whether packets wait in a queue of the network for so long that more packets would only lengthen it.
    public func isQueueLong(at now: MonotonicTime) -> Bool {
        hasFeedback(at: now) && feedback.queueDelay.standing > Self.mildLag
    }

    /// How long a packet that is sent now will wait in a queue of the network, as far as is known, in nanoseconds. Less than 50 ms is no
    /// queue: single frames and a busy receiver cause that.
    public func queueTime(at now: MonotonicTime) -> Int64 {
        let time = max(feedback.queueDelay.standing, feedback.queueDelay.latest)
        return hasFeedback(at: now) && time >= Self.drainedLag ? time : 0
    }

    /// Handles a packet that is sent again in a stream of its own.
    public mutating func retransmitted(byteCount: Int, at now: MonotonicTime) {
        repairs.received(byteCount: byteCount, arrival: now.nanoseconds)
    }

    /// Handles a receiver report, at its arrival.
    public mutating func received(_ report: LossReport, at now: MonotonicTime) {
        let interval = losses.received(report, at: now.nanoseconds)
        guard !hasFeedback(at: now) else { return }
        if isCongestion(interval.lossShare, isDelayed: interval.delayRise > 30_000_000) {
            return lost(interval.lossShare, delivered: interval.delivered, at: now)
        }
        if rule.isTrying, interval.delayRise > Self.mildLag {
            return congested(
                by: interval.delayRise, delivered: min(interval.delivered ?? rule.rate, rule.rate), at: now)
        }
        // Without repair, loss that is not congestion is a reason not to grow (draft-ietf-rmcat-gcc-02, section 6).
        if repair == .none, interval.lossShare > 0.02 { return }
        // live555 reports every 4 to 5 s.
        clear(delivered: nil, burst: nil, isDrained: true, longestStep: 5_000_000_000, at: now)
    }

    /// Handles NACKs (RFC 4585, section 6.2.1) for `packetCount` packets that had not been asked for before.
    public mutating func receivedNACK(packetCount: Int) {
        losses.receivedNACK(packetCount: packetCount)
    }

    /// Handles transport-wide feedback about one packet. Call ``endOfFeedback(at:)`` after the last packet of a feedback message.
    public mutating func received(_ packet: PacketFeedback) {
        feedback.received(packet)
    }

    /// Handles the end of a feedback message.
    public mutating func endOfFeedback(at now: MonotonicTime) {
        lastFeedback = now
        let lag = feedback.queueDelay.standing
        let delivered = feedback.arrivals.rate.map { withRepairs($0, at: now) } ?? rule.rate
        if let second = feedback.takeSecond(), isCongestion(second.lossShare, isDelayed: feedback.isDelayed) {
            return lost(second.lossShare, delivered: withRepairs(second.delivered, at: now), at: now)
        }
        if lag > Self.mildLag {
            congested(by: lag, delivered: delivered, at: now)
            rebaseAfterLongLag(at: now)
        } else if feedback.trend.usage == .overuse, feedback.isDelayed {
            congested(.mild, because: .overuse, delivered: delivered, at: now)
        } else if feedback.trend.usage == .underuse, case .draining = rule.state {
            // The queue shrinks, and will be empty soon.
            cause = nil
        } else {
            clear(
                delivered: feedback.arrivals.rate, burst: feedback.bursts.rate,
                bound: feedback.bursts.bound(at: now.nanoseconds), isDrained: lag < Self.drainedLag, at: now)
        }
    }

    /// Ignores what feedback has told, except for delays.
    public mutating func ignoreFeedback() {
        feedback.forgetSecond()
    }

    /// The path has carried what was sent again, too. Some of it was lost, so it counts at most as much as the rest.
    private mutating func withRepairs(_ delivered: DataRate, at now: MonotonicTime) -> DataRate {
        repairs.received(byteCount: 0, arrival: now.nanoseconds)
        return delivered + min(repairs.rate ?? .zero, delivered)
    }

    /// A lag that reduced rates do not change for 3 s is a longer route: a queue of 500 ms is empty after that time at 0.85 ×
    /// the rate.
    private mutating func rebaseAfterLongLag(at now: MonotonicTime) {
        guard let since = laggingSince, now - since > 3_000_000_000 else { return }
        feedback.queueDelay.rebase()
        laggingSince = nil
    }

    /// Loss alone is no congestion if repair works: Wi-Fi may lose 1 % for ever.
    private func isCongestion(_ lossShare: Double, isDelayed: Bool) -> Bool {
        lossShare > 0.1 || lossShare > 0.02 && isDelayed
    }

    private mutating func lost(_ share: Double, delivered: DataRate?, at now: MonotonicTime) {
        let delivered = delivered ?? rule.rate * (1 - share)
        // The reports of the next second may still be about what was sent before; they count only if much less arrives.
        if let last = lastLossCut, now - last < 1_000_000_000, delivered > rule.rate * 0.7 { return }
        lastLossCut = now
        congested(.mild, because: .loss(percent: Int((share * 100).rounded())), delivered: delivered, at: now)
    }

    private mutating func congested(by lag: Int64, delivered: DataRate, at now: MonotonicTime) {
        if laggingSince == nil { laggingSince = now }
        congested(
            lag > Self.severeLag ? .severe : .mild, because: .lag(milliseconds: Int(lag / 1_000_000)),
            delivered: delivered, at: now)
    }

    private mutating func congested(
        _ congestion: RateRule.Congestion, because reason: RateReason, delivered: DataRate, at now: MonotonicTime
    ) {
        cause = reason
        rule.congested(congestion, delivered: delivered, at: now)
    }

    private mutating func clear(
        delivered: DataRate?, burst: DataRate?, bound: DataRate? = nil, isDrained: Bool,
        longestStep: Int64 = 1_000_000_000, at now: MonotonicTime
    ) {
        (cause, laggingSince) = (nil, nil)
        rule.clear(
            delivered: delivered, burst: burst, bound: bound, isDrained: isDrained, longestStep: longestStep, at: now)
    }
}
