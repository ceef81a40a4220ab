import HeapModule

/// One direction of the impaired network, in virtual time: packets go in, and come out when they are due.
///
/// A packet passes these stages: loss, interruption, the queue and the rate limit, delay with jitter, reordering. Its whole fate
/// is decided when it arrives. Without reordering, packets stay in order, also if the delay becomes shorter.
/// Times are nanoseconds since the relay's first packet, and must not fall.
public struct Link<Packet> {
    public private(set) var statistics = LinkStatistics()
    private let timetable: Timetable
    private let jitter: JitterCurve
    private let reordering: SeededNumbers
    private var losses: LossProcess
    private var bottleneck: Bottleneck
    private var underway = Heap<PacketUnderway<Packet>>()
    /// When the latest packet that is not held back is due.
    private var latestDue: Int64 = 0

    public init(_ timetable: Timetable, seed: UInt64, direction: Direction) {
        self.timetable = timetable
        jitter = JitterCurve(seed: seed, direction: direction)
        reordering = SeededNumbers(seed: seed, direction: direction, .reordering)
        losses = LossProcess(seed: seed, direction: direction)
        bottleneck = Bottleneck(timetable)
    }

    /// Accepts or drops a packet that arrives.
    @discardableResult
    public mutating func receive(_ packet: Packet, byteCount: Int, at now: Int64) -> PacketFate {
        let number = statistics.packets
        statistics.count(byteCount)
        let settings = timetable.settings(at: now)
        if losses.isNextLost(by: settings.loss) { return drop(.lost) }
        if settings.isDown { return drop(.interrupted) }
        guard let sent = bottleneck.send(byteCount, at: now) else { return drop(.queueFull) }
        statistics.count(queuedBytes: bottleneck.queuedByteCount, waitNanoseconds: sent - now)
        underway.insert(PacketUnderway(due: due(number, sent: sent), number: number, packet: packet))
        return .accepted
    }

    /// When the next packet is due; `nil` if none is underway.
    public var nextDue: Int64? { underway.min?.due }

    /// Removes and returns the next packet, if it is due at `now`, and the time at which it was due.
    public mutating func release(at now: Int64) -> (packet: Packet, due: Int64)? {
        guard let first = underway.min, first.due <= now else { return nil }
        underway.removeMin()
        statistics.delivered += 1
        return (first.packet, first.due)
    }

    /// When the packet is due that left the queue at `sent`.
    private mutating func due(_ number: UInt64, sent: Int64) -> Int64 {
        let settings = timetable.settings(at: sent)
        let deviation = jitter.deviation(at: sent, jitterNanoseconds: settings.jitterNanoseconds)
        let due = max(latestDue, sent + settings.delayNanoseconds + deviation)
        if let held = settings.reordering, reordering.fraction(at: number) < held.probability {
            statistics.reordered += 1
            return due + held.holdNanoseconds
        }
        latestDue = due
        return due
    }

    private mutating func drop(_ fate: PacketFate) -> PacketFate {
        statistics.count(fate)
        return fate
    }
}

extension Link: Sendable where Packet: Sendable {}

/// What a link does with a packet that arrives.
public enum PacketFate: Equatable, Sendable {
    case accepted
    /// Dropped by the loss model.
    case lost
    /// Dropped because the link is down.
    case interrupted
    /// Dropped because the queue of the rate limit is full.
    case queueFull
}

/// A packet that is underway, ordered by due time and then by number.
private struct PacketUnderway<Packet>: Comparable {
    let due: Int64
    let number: UInt64
    let packet: Packet

    static func < (left: Self, right: Self) -> Bool { (left.due, left.number) < (right.due, right.number) }
    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}

extension PacketUnderway: Sendable where Packet: Sendable {}
