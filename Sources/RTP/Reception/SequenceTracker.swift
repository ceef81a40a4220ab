/// Detects gaps between consecutive packets for a depacketizer.
struct SequenceTracker: Sendable {
    enum Step: Hashable {
        /// The first packet, or the next one in sequence.
        case next
        /// This many packets are missing before it; 0 if unknown, because the sender jumped back.
        case gap(missing: Int)
        /// A duplicate or late packet.
        case late
    }

    /// The maximum distance of a late packet. A larger step back means that the sender has restarted (RFC 3550, A.1).
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
