/// What a viewer's path carries, and how that is known.
public struct PathEstimate: Hashable, Sendable, CustomStringConvertible {
    /// All bytes of the viewer's media on the path, audio and headers included. Never outside of the limits.
    public let rate: DataRate
    public let reason: RateReason

    public init(rate: DataRate, reason: RateReason) {
        self.rate = rate
        self.reason = reason
    }

    /// `850 kbit/s (lag 320 ms)`.
    public var description: String { "\(rate) (\(reason))" }
}

/// Why a rate is what it is.
public enum RateReason: Hashable, Sendable, CustomStringConvertible {
    /// The path has shown no limit.
    case unconstrained
    /// The viewer is behind, by this many milliseconds of media or of a queue.
    case lag(milliseconds: Int)
    /// Packets arrive with a growing delay.
    case overuse
    /// This share of packets is lost, before repair.
    case loss(percent: Int)
    /// The rate was reduced, and stays until the queue is empty.
    case draining
    /// The queue is empty, and the rate rises to just below the one that was too much.
    case recovering
    /// The rate stays just below the one that was too much.
    case belowLimit
    /// Slightly more than the path carried is sent for a short time.
    case probing
    /// The path has carried more than before.
    case growing
    /// The player reads slowly, and the path is not to blame.
    case slowPlayer

    public var description: String {
        switch self {
        case .unconstrained: "unconstrained"
        case .lag(let milliseconds): "lag \(milliseconds) ms"
        case .overuse: "overuse"
        case .loss(let percent): "loss \(percent) %"
        case .draining: "queue drains"
        case .recovering: "recovering"
        case .belowLimit: "just below the limit"
        case .probing: "probing"
        case .growing: "growing"
        case .slowPlayer: "slow player"
        }
    }
}
