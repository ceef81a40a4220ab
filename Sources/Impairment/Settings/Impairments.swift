/// What a link does to its packets, at one time. Without any setting, it forwards each packet at once.
public struct Impairments: Equatable, Sendable {
    public var loss = LossModel.independent(0)
    /// The mean time from the end of the queue to the receiver.
    public var delayNanoseconds: Int64 = 0
    /// The largest deviation from the mean delay, in both directions; at most the delay.
    public var jitterNanoseconds: Int64 = 0
    public var reordering: Reordering?
    public var rateLimit: RateLimit?
    /// Whether every packet that arrives is dropped.
    public var isDown = false

    public init() {}
}

/// Packets that later packets overtake.
public struct Reordering: Equatable, Sendable {
    /// The probability that a packet is held back.
    public var probability: Double
    /// How long it is held back, beyond its delay. Only packets of this time can overtake it.
    public var holdNanoseconds: Int64 = 5_000_000

    public init(probability: Double, holdNanoseconds: Int64 = 5_000_000) {
        (self.probability, self.holdNanoseconds) = (probability, holdNanoseconds)
    }
}

/// A bottleneck: it sends one packet after the other, and lets the others wait in a queue.
public struct RateLimit: Equatable, Sendable {
    /// Bits of whole IP packets.
    public var bitsPerSecond: Int64
    public var queue = QueueDepth.nanoseconds(100_000_000)

    public init(bitsPerSecond: Int64, queue: QueueDepth = .nanoseconds(100_000_000)) {
        (self.bitsPerSecond, self.queue) = (bitsPerSecond, queue)
    }

    /// The bytes that fit into the queue, including the packet that is being sent.
    public var queueByteCount: Int64 {
        switch queue {
        case .bytes(let count): count
        case .nanoseconds(let time): Int64(Double(bitsPerSecond) / 8 * Double(time) / 1e9)
        }
    }
}

/// The depth of a queue: a packet that finds it full is dropped.
public enum QueueDepth: Equatable, Sendable {
    case bytes(Int64)
    /// The time in which the bottleneck empties the full queue.
    case nanoseconds(Int64)
}
