import Media

/// Puts the packets of one source in order, and bounds for how long and how many packets wait for a missing one.
///
/// A packet that is the next one passes without being copied; all others are kept until it is their turn.
struct OrderedPackets: Sendable {
    /// How long a missing packet is waited for, in nanoseconds. Packets that overtake others in a network are some milliseconds
    /// apart; a player would have to wait longer for all later frames.
    static let patience: Int64 = 50_000_000
    /// How many packets may wait behind a missing one.
    static let waitingLimit = 64

    struct Packet: Sendable {
        let header: Header
        let payload: [UInt8]
        let arrival: MonotonicTime
    }

    private var waiting = ReorderBuffer<Packet>(capacity: waitingLimit)
    /// Packets that came twice, or too late to be put in order.
    private(set) var lateCount = 0

    /// When the oldest waiting packet has waited long enough.
    var nextDeadline: MonotonicTime { waiting.first.map { $0.arrival + Self.patience } ?? .distantFuture }

    /// Whether it is the turn of the packet with this number. If not, the caller keeps it.
    mutating func passes(_ number: SequenceNumber) -> Bool { waiting.passes(number) }

    mutating func keep(_ payload: RawSpan, header: Header, arrival: MonotonicTime) {
        let packet = Packet(header: header, payload: [UInt8](payload), arrival: arrival)
        if waiting.insert(packet, header.sequenceNumber) != .accepted { lateCount += 1 }
    }

    /// The next packet in order.
    mutating func next() -> Packet? { waiting.next() }

    /// Gives up the packets that have been missing for too long.
    ///
    /// - Returns: whether any were given up, so that ``next()`` may continue behind them.
    mutating func giveUpMissing(at now: MonotonicTime) -> Bool {
        guard nextDeadline <= now else { return false }
        waiting.passGap()
        return true
    }

    /// Another source sends the packets from now on.
    mutating func beginAnew() {
        waiting = ReorderBuffer(capacity: Self.waitingLimit)
    }
}
