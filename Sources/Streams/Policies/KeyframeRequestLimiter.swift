import Media

/// Limits how many keyframes are requested from an encoder: a burst, then one per interval.
///
/// Joins, picture loss indications and drops share the one limiter of a stream. Each IDR frame reduces quality (ten per second
/// cost 3 QP at 2 Mbit/s), so no number of joins may exceed this limit.
public struct KeyframeRequestLimiter: Sendable {
    public struct Limits: Hashable, Sendable {
        /// Requests that are granted at once.
        public var burst: Int
        /// Nanoseconds after which one more request is granted.
        public var interval: Int64

        public init(burst: Int = 3, interval: Int64 = 500_000_000) {
            self.burst = burst
            self.interval = interval
        }
    }

    /// The least time between two requests because of reported losses, in nanoseconds. Reports come late and do not say which frames
    /// are damaged, so that a keyframe has often come already.
    private static let lossInterval: Int64 = 1_000_000_000

    private var requests: TokenBucket
    private var lastLoss: MonotonicTime?
    /// Whether a granted request still waits for its keyframe, which will also serve further requests.
    private var isOutstanding = false

    public init(limits: Limits = Limits()) {
        requests = TokenBucket(.init(burst: Int64(limits.burst), every: limits.interval))
    }

    /// The answer to a request.
    public enum Answer: Hashable, Sendable {
        /// Request a keyframe from the encoder now.
        case granted
        /// A keyframe has been requested and has not arrived yet.
        case alreadyRequested
        /// Ask again at this instant.
        case notBefore(MonotonicTime)
    }

    /// Handles the request for a keyframe.
    public mutating func requested(at now: MonotonicTime) -> Answer {
        if isOutstanding { return .alreadyRequested }
        guard requests.takeOne(at: now) else { return .notBefore(requests.nextToken ?? now) }
        isOutstanding = true
        return .granted
    }

    /// Handles the request for a keyframe because a client has reported lost packets.
    public mutating func reportedLoss(at now: MonotonicTime) -> Answer {
        if isOutstanding { return .alreadyRequested }
        if let lastLoss, now - lastLoss < Self.lossInterval { return .notBefore(lastLoss + Self.lossInterval) }
        let answer = requested(at: now)
        if answer == .granted { lastLoss = now }
        return answer
    }

    /// Notes that a keyframe was published.
    public mutating func arrived() {
        isOutstanding = false
    }
}
