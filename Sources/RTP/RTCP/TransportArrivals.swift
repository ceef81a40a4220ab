import Media
import Wire

/// Notes when the packets of the other end arrive, and makes transport-wide feedback of it, by which the other end adapts its rate.
public struct TransportArrivals: Sendable {
    /// The number of the first packet that the next message tells; `nil` before the first packet.
    private var base: SequenceNumber?
    /// When the packets from the base on have arrived, in nanoseconds.
    private var arrivals: [Int64?] = []
    /// The messages so far.
    private var count: UInt8 = 0
    /// When the first packet arrived that no message has told; `nil` if there is none.
    private var waitingSince: MonotonicTime?

    public init() {}

    /// The time between messages, in nanoseconds: between the 50 and 250 ms of libwebrtc.
    private static let interval: Int64 = 100_000_000
    /// The most packets of a message. At 40 Mbit/s, 100 ms have 400 packets.
    private static let limit = 512

    /// Notes a packet with its number from the header extension.
    public mutating func received(_ number: SequenceNumber, at now: MonotonicTime) {
        guard let base else {
            self.base = number
            arrivals = [now.nanoseconds]
            waitingSince = now
            return
        }
        let offset = number.distance(from: base)
        // What a message has told is not told again.
        guard offset >= 0 else { return }
        if offset >= Self.limit {
            // A jump: the peer has begun anew, or so much was lost that the rest does not matter.
            self.base = number
            arrivals = [now.nanoseconds]
        } else {
            if offset >= arrivals.count { arrivals += Array(repeating: nil, count: offset + 1 - arrivals.count) }
            arrivals[offset] = arrivals[offset] ?? now.nanoseconds
        }
        waitingSince = waitingSince ?? now
    }

    /// When to call ``takeFeedback(at:)``.
    public var nextDeadline: MonotonicTime { waitingSince.map { $0 + Self.interval } ?? .distantFuture }

    /// The next message; `nil` if it is not due, or if nothing has arrived.
    public mutating func takeFeedback(at now: MonotonicTime) -> TransportFeedback? {
        guard let base, now >= nextDeadline || arrivals.count >= Self.limit / 2 else { return nil }
        let feedback = TransportFeedback(base: base, arrivals: arrivals, count: count)
        count &+= 1
        self.base = base.advanced(by: arrivals.count)
        arrivals.removeAll(keepingCapacity: true)
        waitingSince = nil
        return feedback
    }
}
