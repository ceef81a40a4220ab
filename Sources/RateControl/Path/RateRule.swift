import Media

/// The rule by which one viewer's rate follows congestion and its absence, whatever the transport.
///
/// After congestion the rate is a share of what was delivered, and not of what was sent, because only the former tells what the
/// path carries. While the queue drains, further cuts change nothing unless less is delivered. Then the rate stays just below
/// the limit, and tries slightly more now and then. Between failed tries the wait grows, so that a steady path is left in
/// peace.
///
///     state          no congestion                                        congestion
///     unconstrained  –                                                    draining
///     draining       queue empty and 1 s over: 0.85 × limit, recovering   (0.6 × if severe), at most what it is
///     recovering     +8 %/s up to 0.9 × limit, then waiting               draining
///     waiting        wait over, or the path has carried more: probing     draining
///     probing        2.5 s over: growing                                  draining; the wait is × 1.5, at most 45 s
///     growing        +10 %/s, after 3 s +40 %/s; maximum: unconstrained   draining; below 1.5 × limit as after probing
///
/// For a minute after congestion, no rate is tried that is far above what bursts have shown to be the path's. Then `growing`
/// becomes `waiting`.
///
/// docs/decisions/065-rates-follow-what-is-delivered.md compares it with others.
struct RateRule: Sendable {
    enum State: Hashable, Sendable {
        case unconstrained
        case draining(until: MonotonicTime)
        case recovering
        case waiting(since: MonotonicTime)
        case probing(until: MonotonicTime, reason: ProbeReason)
        case growing(since: MonotonicTime)
    }

    /// Why more is tried.
    enum ProbeReason: Hashable, Sendable {
        case waited
        /// A burst, such as a keyframe, has passed faster than the limit.
        case fasterBurst
    }

    /// How strongly a congested path is relieved.
    enum Congestion: Hashable, Sendable {
        case mild
        case severe

        /// The share of the delivered rate that is sent then: 0.85 is that of GCC; 0.6 empties a queue of 400 ms in a second.
        var share: Double { self == .mild ? 0.85 : 0.6 }
    }

    /// What is sent to the viewer.
    enum Sending: Hashable, Sendable {
        /// A stream that is encoded with the rate, or nearly.
        case theRate
        /// One of several streams with fixed rates below the rate.
        case oneOfSeveral

        /// The most that is tried, as a share of what bursts have shown to be the path's rate. Little that is sent over a slow
        /// path meets no congestion, so bursts alone can tell that a better stream does not fit.
        var boundShare: Double { self == .theRate ? 1.2 : 0.9 }
    }

    private(set) var state = State.unconstrained
    private(set) var rate: DataRate
    /// What the path delivered when it was congested; `nil` if that is not known or too old.
    private(set) var limit: DataRate?
    private(set) var limits: RateLimits
    private let sending: Sending
    private var wait = Self.firstWait
    /// Whether bursts may end a wait early: not if the last probe after one failed, because links with a token bucket pass any
    /// burst.
    private var trustsBursts = true
    /// Until when bursts bound the rates that are tried. Not for ever, because through some networks they are slower than the path.
    private var boundedUntil: MonotonicTime?
    private var lastClear: MonotonicTime?

    private static let firstWait: Int64 = 4_000_000_000
    private static let longestWait: Int64 = 45_000_000_000
    /// A stream whose limit is below this share of the bound shares its path with others.
    private static let smallShare = 0.4
    /// The longest wait of a stream that shares its path: it tries more often than the larger streams, so that all become equal.
    private static let longestSharedWait: Int64 = 8_000_000_000
    /// After this time of a wait, a faster burst ends it.
    private static let shortestWait: Int64 = 1_000_000_000
    private static let hold: Int64 = 1_000_000_000
    private static let probeDuration: Int64 = 2_500_000_000
    private static let boundDuration: Int64 = 60_000_000_000

    init(limits: RateLimits, sending: Sending = .theRate) {
        self.limits = limits
        self.sending = sending
        rate = limits.maximum
    }

    /// Whether the rate is one that the path has not carried yet. Then a queue in the network is the viewer's own.
    var isTrying: Bool {
        switch state {
        case .probing, .growing: true
        case .unconstrained, .draining, .recovering, .waiting: false
        }
    }

    mutating func change(_ limits: RateLimits) {
        let wasAtMaximum = rate == self.limits.maximum
        self.limits = limits
        rate = (wasAtMaximum && state == .unconstrained ? limits.maximum : rate).clamped(to: limits)
        if rate < limits.maximum, state == .unconstrained { state = .recovering }
    }

    /// Handles congestion.
    ///
    /// - Parameter delivered: what the path has delivered; no more than this is sent from now on.
    mutating func congested(_ congestion: Congestion, delivered: DataRate, at now: MonotonicTime) {
        (lastClear, boundedUntil) = (now, now + Self.boundDuration)
        switch state {
        case .draining(let end):
            // The first measurement may include a time before the path became slower. Little less is delivered because little
            // less is sent.
            let isEarly = now < end + -Self.hold / 2
            limit = limit.map { isEarly && delivered > $0 * 0.8 ? $0 : min($0, delivered) } ?? delivered
        case .probing(_, let reason):
            wait = min(wait * 3 / 2, Self.longestWait)
            if reason == .fasterBurst { trustsBursts = false }
            // A part of what was tried may have gone into a queue instead of over the path.
            limit = limit.map { min($0, delivered) } ?? delivered
        case .growing:
            // As much as before is too much: the try has failed after all.
            if hasOutgrownLimit { wait = Self.firstWait } else { wait = min(wait * 3 / 2, Self.longestWait) }
            limit = delivered
        case .unconstrained:
            limit = delivered
        case .recovering, .waiting:
            // If nearly as much as before is delivered, another stream has tried more, and takes no more than a twentieth by that.
            limit = limit.map { delivered < rate * 0.8 ? delivered : max(delivered, $0 * 0.95) } ?? delivered
        }
        let target = (limit ?? delivered) * congestion.share
        let isLower = target < rate
        if isLower { rate = target.clamped(to: limits) }
        if case .draining = state, !isLower { return }
        state = .draining(until: now + Self.hold)
    }

    /// Handles the absence of congestion.
    ///
    /// - Parameters:
    ///   - delivered: what the path has delivered.
    ///   - burst: what the path has carried for the time of a burst. Other streams may share the path before and after it.
    ///   - bound: the most that it has carried for the time of a burst lately; `nil` if that is not known.
    ///   - isDrained: whether the queue is empty.
    ///   - longestStep: growth during a longer time without input is not made up for, in nanoseconds.
    mutating func clear(
        delivered: DataRate?, burst: DataRate?, bound: DataRate? = nil, isDrained: Bool,
        longestStep: Int64 = 1_000_000_000, at now: MonotonicTime
    ) {
        let bound = boundedUntil.map { now < $0 } == true ? bound : nil
        let elapsed = Double(min(max(0, now - (lastClear ?? now)), longestStep)) / 1e9
        lastClear = now
        switch state {
        case .unconstrained:
            break
        case .draining(let end):
            // What empties the queue shows what the path carries now: it may have been slow for a moment only.
            if let delivered, let known = limit, delivered > known * 1.25 { limit = delivered }
            guard now >= end, isDrained else { return }
            if let limit { rate = max(rate, limit * RateRule.Congestion.mild.share).clamped(to: limits) }
            state = .recovering
        case .recovering:
            recover(elapsed, at: now)
        case .waiting(let start):
            waited(now - start, burst: burst, bound: bound, at: now)
        case .probing(let end, _):
            if now >= end { grow(at: now) }
        case .growing(let start):
            // A path that has not shown a limit for some seconds has probably changed much. Half is a share of the maximum.
            let share = min(0.1 + 0.1 * Double(now - start) / 1e9, 0.4) * elapsed
            let grown = (rate * (1 + share / 2) + limits.maximum * (share / 6)).clamped(to: limits)
            if let bound, grown > bound * sending.boundShare { return wait(below: bound, at: now) }
            rate = grown
            if hasOutgrownLimit { (trustsBursts, wait) = (true, Self.firstWait) }
            if rate >= limits.maximum { becomeUnconstrained() }
        }
    }

    private mutating func recover(_ elapsed: Double, at now: MonotonicTime) {
        let ceiling = ((limit ?? limits.maximum) * 0.9).clamped(to: limits)
        rate = max(rate, min(rate * (1 + 0.08 * elapsed), ceiling))
        if rate >= limits.maximum { return becomeUnconstrained() }
        if rate >= ceiling { state = .waiting(since: now) }
    }

    /// Waits at the most that may be tried while bursts bound the rate.
    private mutating func wait(below bound: DataRate, at now: MonotonicTime) {
        if hasOutgrownLimit { (trustsBursts, wait) = (true, Self.firstWait) }
        rate = max(rate, (bound * sending.boundShare).clamped(to: limits))
        (limit, state) = (bound, .waiting(since: now))
    }

    private mutating func waited(_ time: Int64, burst: DataRate?, bound: DataRate?, at now: MonotonicTime) {
        guard let limit else { return grow(at: now) }
        let isFaster = trustsBursts && time >= Self.shortestWait && burst.map { $0 > limit * 1.25 } ?? false
        let isShared = bound.map { limit < $0 * Self.smallShare } ?? false
        guard isFaster || time >= (isShared ? min(wait, Self.longestSharedWait) : wait) else { return }
        // A part that does not depend on the rate makes streams that share a link equal in time.
        let addition = min(limits.maximum * 0.04, limit * 0.3)
        let tried = max(rate, limit * 1.05 + addition).clamped(to: limits)
        if let bound, tried > bound * sending.boundShare { return }
        rate = tried
        state = .probing(until: now + Self.probeDuration, reason: isFaster ? .fasterBurst : .waited)
    }

    private mutating func grow(at now: MonotonicTime) {
        if rate >= limits.maximum { return becomeUnconstrained() }
        state = .growing(since: now)
    }

    /// Whether the rate is so far above the last limit that the path must have changed.
    private var hasOutgrownLimit: Bool { limit.map { rate > $0 * 1.5 } ?? true }

    private mutating func becomeUnconstrained() {
        limit = nil
        (trustsBursts, wait) = (true, Self.firstWait)
        state = .unconstrained
    }
}
