import RateControl
import Streams
import Synchronization

/// A source that notes how its encoder is to follow the network.
public final class FollowingSource: Streams.Source {
    private let orders = Mutex<[EncoderOrder?]>([])

    public init() {}

    public func requestKeyframe() {}
    public func follow(_ order: EncoderOrder?) { orders.withLock { $0.append(order) } }

    /// The last bitrate that was ordered, in bits per second; `nil` if there was none.
    public var last: Int64? { orders.withLock { $0.last.flatMap { $0?.bitrate.bitsPerSecond } } }
}
