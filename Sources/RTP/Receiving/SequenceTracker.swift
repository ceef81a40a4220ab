/// Tells a depacketizer whether a packet follows the one before it.
struct SequenceTracker: Sendable {
    enum Step: Hashable {
        /// The first packet, or the next one.
        case next
        /// So many packets are missing before it; 0 if the sender jumped back and nobody can say.
        case gap(missing: Int)
        /// A packet that came before, or too late.
        case late
    }

    /// How far behind a packet is taken for a straggler; further back, the sender began anew (RFC 3550, A.1).
    private static let maximumMisorder = 100

    private var last: SequenceNumber?

    mutating func step(to number: SequenceNumber) -> Step {
        guard let last else {
            self.last = number
            return .next
        }
        let distance = number.distance(from: last)
        if distance <= 0, distance > -Self.maximumMisorder { return .late }
        self.last = number
        return distance == 1 ? .next : .gap(missing: max(0, distance - 1))
    }
}
