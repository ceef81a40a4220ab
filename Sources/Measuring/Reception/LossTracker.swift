/// Counts lost, repaired, late and duplicate packets of one track by their sequence numbers.
///
/// Numbers are extended past their 16 bits as in RFC 3550, appendix A.1. A window of the last 64 packets distinguishes late
/// packets from duplicates. Nothing else is kept, so memory does not grow.
public struct LossTracker: Sendable {
    /// Distinct packets.
    public private(set) var packets: UInt64 = 0
    /// Packets that were received more than once.
    public private(set) var duplicates: UInt64 = 0
    /// Packets that arrived after a packet with a higher number.
    public private(set) var reordered: UInt64 = 0
    /// Packets that were lost, and arrived on request in time. They count as packets, and not as reordered.
    public private(set) var repaired: UInt64 = 0
    /// How often numbers were skipped, even if the packets arrived later.
    public private(set) var gaps: UInt64 = 0

    private var first: Int64 = 0
    private var highest: Int64?
    /// Bit i: whether packet `highest - i` was received.
    private var window: UInt64 = 0
    /// The number that RTP-Info announces for the first packet, until the packet arrives.
    private var announced: UInt16?

    public init() {}

    /// How a packet's number compares with the numbers before it.
    public enum Placement: Equatable, Sendable {
        /// The packet follows the highest number so far, or is the first packet.
        case next
        /// The packets of `missing` numbers before this one have not arrived.
        case afterGap(missing: Int)
        /// The packet is late and fills a gap.
        case late
        case duplicate
    }

    /// Packets between the first and the highest number that the network has lost, whether or not they were repaired.
    public var lostBeforeRepair: UInt64 { lost + repaired }

    /// Packets between the first and the highest number that did not arrive, not even on request in time.
    public var lost: UInt64 {
        guard let highest else { return 0 }
        // The difference of two extended numbers, each moved by less than 2¹⁶ per packet: no overflow in a lifetime.
        let expected = UInt64(max(0, highest &- first &+ 1))
        return expected > packets ? expected - packets : 0
    }

    /// Sets the number of the first packet (RTP-Info), before or after that packet arrives, so that losses at the start
    /// count too.
    ///
    /// A number more than 1 000 below the first packet's is treated as an error of the server and ignored.
    public mutating func announceFirst(_ number: UInt16) {
        guard highest != nil else {
            announced = number
            return
        }
        noteMissing(before: first, from: number)
    }

    /// Counts a packet and returns how its number compares with the numbers before it.
    public mutating func received(_ number: UInt16) -> Placement {
        guard let highest else { return receivedFirst(number) }
        let distance = Int64(Int16(bitPattern: number &- UInt16(truncatingIfNeeded: highest)))
        return distance > 0 ? advance(by: distance, from: highest) : receivedLate(by: -distance)
    }

    /// Counts a packet that was missing, was requested, and has arrived in time.
    public mutating func receivedRepair(_ number: UInt16) -> Placement {
        guard let highest else { return received(number) }
        let distance = Int64(Int16(bitPattern: UInt16(truncatingIfNeeded: highest) &- number))
        if (0..<64).contains(distance) { window |= 1 << UInt64(distance) }
        packets += 1
        repaired += 1
        return .late
    }

    private mutating func receivedFirst(_ number: UInt16) -> Placement {
        first = Int64(number)
        highest = first
        window = 1
        packets = 1
        guard let announced else { return .next }
        let before = first
        noteMissing(before: before, from: announced)
        return first == before ? .next : .afterGap(missing: Int(before - first))
    }

    private mutating func noteMissing(before start: Int64, from number: UInt16) {
        let missing = Int64(UInt16(truncatingIfNeeded: start) &- number)
        guard missing > 0, missing <= 1_000 else { return }
        first = start - missing
        gaps += 1
    }

    private mutating func advance(by distance: Int64, from highest: Int64) -> Placement {
        self.highest = highest + distance
        window = distance < 64 ? window << UInt64(distance) | 1 : 1
        packets += 1
        guard distance > 1 else { return .next }
        gaps += 1
        return .afterGap(missing: Int(distance - 1))
    }

    private mutating func receivedLate(by distance: Int64) -> Placement {
        // Beyond the window late packets and duplicates look alike; a packet that old is more often late.
        if distance < 64 {
            let bit: UInt64 = 1 << UInt64(distance)
            guard window & bit == 0 else {
                duplicates += 1
                return .duplicate
            }
            window |= bit
        }
        packets += 1
        reordered += 1
        return .late
    }
}
