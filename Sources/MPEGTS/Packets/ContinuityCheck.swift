/// Detects lost and repeated packets of one PID by their counters (ISO/IEC 13818-1, 2.4.3.3).
struct ContinuityCheck: Hashable, Sendable {
    enum Step: Hashable {
        /// The first packet, or the next one.
        case next
        /// The packet before came twice, as is allowed once. Its payload is not to be used again.
        case duplicate
        /// One to fifteen packets are missing, or any number of them after ``recordLoss()``.
        case gap
    }

    /// The largest number of packets whose loss the counter always shows: of sixteen, none would seem to be lost, and after fifteen
    /// the next one seems to be a duplicate.
    static let certainPacketCount = 14

    /// The least number of packets that are missing so far: a counter has four bits.
    private(set) var missingCount = 0
    private var last: UInt8?
    private var isRepeated = false
    private var hasLost = false

    /// Notes that more packets may be lost than the counter shows.
    mutating func recordLoss() {
        hasLost = true
    }

    /// - Parameter isDiscontinuity: whether the packet says that the counter may not continue.
    mutating func step(to counter: UInt8, isDiscontinuity: Bool = false) -> Step {
        let expected = last.map { ($0 &+ 1) & 0xF }
        defer { (last, hasLost) = (counter, false) }
        if hasLost, last != nil {
            isRepeated = false
            return .gap
        }
        if counter == last, !isRepeated, !isDiscontinuity {
            isRepeated = true
            return .duplicate
        }
        isRepeated = false
        guard !isDiscontinuity, let expected, counter != expected else { return .next }
        missingCount += Int((counter &- expected) & 0xF)
        return .gap
    }
}
