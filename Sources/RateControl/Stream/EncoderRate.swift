import Media

/// Decides what an encoder makes for all viewers of its stream: the policy `follow`.
///
/// The rate is one that all viewers but the worst tenth can receive, so that one slow or lying viewer of ten changes nothing. A
/// change is at least 5 % and comes at least 200 ms after the previous one, because each costs the encoder quality. Upwards, it
/// is at least 10 %, because estimates rise and fall around the limit of a path, and at most once a second.
///
/// With one viewer, the estimator waits between tries. With many, there is always another one at its limit, so a climb that had
/// to be taken back delays the next climb here: first by 2.5 s, then by twice as much each time, up to a minute.
public struct EncoderRate: Sendable {
    public struct Settings: Hashable, Sendable {
        /// Of the video alone: the maximum is the configured bitrate.
        public var limits: RateLimits
        /// What the path carries beside the video, which is not reduced: audio.
        public var audio: DataRate
        /// The share of all bytes that are headers: 40 to 60 of 1200 bytes.
        public var headerShare: Double
        /// The share of viewers, 0..<1, that the rate may be too much for.
        public var ignoredShare: Double
        /// What may be reduced beside the bitrate.
        public var extent: FrameReduction.Extent
        /// What the encoder makes if nothing is reduced; `nil` if it is not known, so that only the bitrate is reduced.
        public var frames: FrameFormat?

        public init(
            limits: RateLimits, audio: DataRate = .zero, headerShare: Double = 0.05, ignoredShare: Double = 0.1,
            extent: FrameReduction.Extent = .size, frames: FrameFormat? = nil
        ) {
            self.limits = limits
            self.audio = audio
            self.headerShare = headerShare
            self.ignoredShare = ignoredShare
            self.extent = extent
            self.frames = frames
        }

        var ladder: EncoderLadder {
            frames.map { EncoderLadder(for: $0, bitrate: limits.maximum, extent: extent) } ?? .none
        }

        /// The limits of viewers' estimates, which include audio and headers.
        public var pathLimits: RateLimits {
            RateLimits(minimum: path(limits.minimum), maximum: path(limits.maximum))
        }

        private func path(_ video: DataRate) -> DataRate { (video + audio) * (1 / (1 - headers)) }

        /// The video's part of a path's rate.
        func video(_ path: DataRate) -> DataRate {
            // At the maximum, rounding must not take anything.
            path >= pathLimits.maximum ? limits.maximum : (path * (1 - headers) - audio).clamped(to: limits)
        }

        private var headers: Double { min(max(0, headerShare), 0.5) }
    }

    /// What the encoder makes now.
    public private(set) var order: EncoderOrder
    /// Why: the reason of the viewer that limits it.
    public private(set) var reason = RateReason.unconstrained
    private var settings: Settings
    private var ladder: EncoderLadder
    private var position = LadderPosition()
    private var lastChange: MonotonicTime?
    private var lastUp: MonotonicTime?
    private var lastDown: MonotonicTime?
    /// Whether the last step went up.
    private var isClimbing = false
    /// Nanoseconds after a step down in which there is none up.
    private var hold: Int64 = 0

    private static let interval: Int64 = 200_000_000
    private static let upInterval: Int64 = 1_000_000_000
    private static let firstHold: Int64 = 2_500_000_000
    private static let longestHold: Int64 = 60_000_000_000
    /// A rate that has lasted for this time was not too much.
    private static let trial: Int64 = 30_000_000_000
    private static let leastStepDown = 0.05
    private static let leastStepUp = 0.1
    /// A faster rise would be a jump into the unknown if the slowest viewer leaves.
    private static let largestStepUp = 0.25

    public init(_ settings: Settings) {
        self.settings = settings
        ladder = settings.ladder
        order = EncoderOrder(bitrate: settings.limits.maximum)
    }

    /// The configuration changed. The next update applies it.
    public mutating func change(_ settings: Settings) {
        let wasConfigured = order.bitrate == self.settings.limits.maximum
        self.settings = settings
        ladder = settings.ladder
        if wasConfigured { order.bitrate = settings.limits.maximum }
        order.bitrate = order.bitrate.clamped(to: settings.limits)
        order = ladder.order(order.bitrate, depth: position.depth)
    }

    /// Decides again; call it every 100 to 200 ms.
    ///
    /// - Returns: the new order; `nil` if it stays.
    public mutating func update(_ viewers: inout ViewerRates, at now: MonotonicTime) -> EncoderOrder? {
        let worst = viewers.select(ignoring: settings.ignoredShare)
        let wanted = worst.map { settings.video($0.rate) } ?? settings.limits.maximum
        reason = worst?.reason ?? .unconstrained
        if let last = lastChange, now - last < Self.interval { return nil }
        if isClimbing, let lastUp, now - lastUp >= Self.trial { hold = 0 }
        let bitrate = step(to: wanted, isLoneViewer: viewers.count <= 1, at: now)
        let share = Double(bitrate.bitsPerSecond) / Double(max(1, settings.limits.maximum.bitsPerSecond))
        position.update(share: share, on: ladder, at: now)
        let next = ladder.order(bitrate, depth: position.depth)
        guard next != order else { return nil }
        noteStep(to: next.bitrate, at: now)
        (order, lastChange) = (next, now)
        return next
    }

    /// The bitrate that is `wanted` if it differs enough from the present one.
    private func step(to wanted: DataRate, isLoneViewer: Bool, at now: MonotonicTime) -> DataRate {
        let present = order.bitrate
        let limits = settings.limits
        if wanted > present {
            if let lastUp, now - lastUp < Self.upInterval { return present }
            if !isLoneViewer, let lastDown, now - lastDown < hold { return present }
            // The maximum is reached by any step, because nothing beyond it could make the step larger.
            guard wanted >= present * (1 + Self.leastStepUp) || wanted == limits.maximum else { return present }
            return min(wanted, present * (1 + Self.largestStepUp)).clamped(to: limits)
        }
        guard wanted <= present * (1 - Self.leastStepDown) || wanted == limits.minimum else { return present }
        return wanted.clamped(to: limits)
    }

    private mutating func noteStep(to bitrate: DataRate, at now: MonotonicTime) {
        if bitrate > order.bitrate { (isClimbing, lastUp) = (true, now) }
        guard bitrate < order.bitrate else { return }
        if isClimbing { hold = hold == 0 ? Self.firstHold : min(hold * 2, Self.longestHold) }
        (isClimbing, lastDown) = (false, now)
    }
}
