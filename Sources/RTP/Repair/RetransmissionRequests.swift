import Media

/// Decides which missing packets of an RTP stream a receiver requests again, and when (generic NACK, RFC 4585, section 6.2.1), and
/// recognises the answers. The sender sends the same packet again, with the same SSRC and sequence number.
///
/// A packet is *missing* from the arrival of a later one on.
///
/// | state | event | next state |
/// |---|---|---|
/// | | a later packet comes | missing |
/// | missing | it comes: it was overtaken | |
/// | missing | `reorderingWait` has passed | requested |
/// | requested | it comes before an answer can have come: it was overtaken | answered |
/// | requested | it comes: it is repaired | answered |
/// | requested | a round trip has passed, and another answer would come in time | requested again |
/// | requested | another answer would come after `patience` | given up |
/// | answered, given up | it comes, and is not needed | the same |
/// | answered, given up | `memory` has passed | |
///
/// Requests are bounded: each packet is requested once per round trip and `repetitionInterval`, there is one message per
/// `messageInterval`, and on average at most one request for two packets that come, so that requests do not feed congestion. After a
/// gap of more than `capacity` packets, nothing is requested. A plain value in virtual time, which allocates nothing for a packet that
/// comes in order.
public struct RetransmissionRequests: Sendable {
    /// The longest wait for a packet that others have overtaken, in nanoseconds. Packets that take different ways in a host or a
    /// network are some milliseconds apart.
    static let reorderingWait: Int64 = 5_000_000
    /// The least time between two requests for one packet, in nanoseconds: longer than that of ``RetransmissionRules/apus``, because a
    /// request that comes sooner is ignored.
    static let repetitionInterval: Int64 = 25_000_000
    /// The least time between two messages, in nanoseconds.
    static let messageInterval: Int64 = 5_000_000
    /// How long an answer is recognised after its packet was given up, in nanoseconds. Senders answer for as long.
    static let memory: Int64 = 1_000_000_000
    /// Missing packets that are kept, and the longest gap that is repaired: more than the budget of any sender allows at once.
    static let capacity = 256
    /// Entries in a message, of up to 17 packets each: as many as Apus accepts in a datagram.
    static let messageLimit = 16
    /// Requests that may be sent at once, if packets came before.
    static let burst = 128

    private struct MissingPacket {
        let number: SequenceNumber
        /// When the packet behind the gap came.
        let since: MonotonicTime
        /// `distantFuture` if it is not requested any more.
        var nextRequest: MonotonicTime
        var firstRequest: MonotonicTime?
        var lastRequest: MonotonicTime?
        var isAnswered = false
    }

    /// How long a missing packet is awaited, in nanoseconds.
    private let patience: Int64
    private var roundTrip: RoundTripEstimate
    private var highest: SequenceNumber?
    /// In the order of their numbers.
    private var missing: [MissingPacket] = []
    private var nextMessage = MonotonicTime(nanoseconds: .min)
    /// Twice the requests that may be sent.
    private var credit = 2 * burst

    /// When to call ``takeRequests(at:)``; `distantFuture` if nothing is to be requested.
    public private(set) var nextDeadline = MonotonicTime.distantFuture

    /// - Parameters:
    ///   - patience: how long the receiver awaits a missing packet after the arrival of a later one, in nanoseconds.
    ///   - roundTrip: to the sender, in nanoseconds, until answers tell it; `nil` if it is unknown.
    public init(patience: Int64, roundTrip: Int64?) {
        self.patience = patience
        self.roundTrip = RoundTripEstimate(initial: roundTrip)
        missing.reserveCapacity(Self.capacity)
    }

    /// Another source sends the packets from now on.
    public mutating func beginAnew() {
        missing.removeAll(keepingCapacity: true)
        (highest, nextDeadline) = (nil, .distantFuture)
    }

    /// A packet has come.
    public mutating func received(_ number: SequenceNumber, at arrival: MonotonicTime) -> PacketOrigin {
        let distance = highest.map { number.distance(from: $0) } ?? 1
        guard distance <= 0 else {
            credit = min(credit + 1, 2 * Self.burst)
            if distance > 1 { noteGap(before: number, count: distance - 1, at: arrival) }
            highest = number
            return .original
        }
        if let index = index(of: number) { return receivedMissing(at: index, arrival) }
        // The sender has restarted.
        if distance < -Self.capacity { beginAnew(at: number) }
        return .original
    }

    /// The packets to request now, for one message; empty if there are none.
    public mutating func takeRequests(at now: MonotonicTime) -> [Feedback.LostPackets] {
        guard nextDeadline <= now else { return [] }
        forget(at: now)
        var requests: [Feedback.LostPackets] = []
        for index in missing.indices where missing[index].nextRequest <= now {
            guard now + roundTrip.nanoseconds <= missing[index].since + patience else {
                missing[index].nextRequest = .distantFuture
                continue
            }
            guard credit >= 2, requests.add(missing[index].number, limit: Self.messageLimit) else { break }
            credit -= 2
            missing[index].firstRequest = missing[index].firstRequest ?? now
            missing[index].lastRequest = now
            missing[index].nextRequest = now + max(roundTrip.longest, Self.repetitionInterval)
        }
        // Also without credit: packets that come meanwhile earn it.
        nextMessage = now + Self.messageInterval
        updateDeadline()
        return requests
    }
}

// MARK: - Missing packets

extension RetransmissionRequests {
    private mutating func beginAnew(at number: SequenceNumber) {
        beginAnew()
        highest = number
    }

    private mutating func noteGap(before number: SequenceNumber, count: Int, at arrival: MonotonicTime) {
        guard count <= Self.capacity else { return beginAnew(at: number) }
        forget(at: arrival)
        missing.removeFirst(max(0, missing.count + count - Self.capacity))
        for age in (1...count).reversed() {
            missing.append(
                MissingPacket(
                    number: number.advanced(by: -age), since: arrival, nextRequest: arrival + Self.reorderingWait))
        }
        updateDeadline()
    }

    private mutating func forget(at now: MonotonicTime) {
        let old = missing.prefix { now - $0.since > patience + Self.memory }
        missing.removeFirst(old.count)
    }

    private mutating func updateDeadline() {
        let next = missing.reduce(MonotonicTime.distantFuture) { min($0, $1.nextRequest) }
        nextDeadline = next == .distantFuture ? next : max(next, nextMessage)
    }

    private func index(of number: SequenceNumber) -> Int? {
        // The newest is the most probable.
        missing.lastIndex { $0.number == number }
    }

    private mutating func receivedMissing(at index: Int, _ arrival: MonotonicTime) -> PacketOrigin {
        let packet = missing[index]
        guard let first = packet.firstRequest, let last = packet.lastRequest else {
            missing.remove(at: index)
            updateDeadline()
            return .original
        }
        guard !packet.isAnswered else { return .needlessRepair }
        missing[index].isAnswered = true
        missing[index].nextRequest = .distantFuture
        updateDeadline()
        guard arrival - first >= roundTrip.soonest else { return .original }
        // Which of several requests was answered is known only if the last one cannot have been (Karn's algorithm).
        if first == last || arrival - last < roundTrip.soonest { roundTrip.measured(arrival - first) }
        return arrival <= packet.since + patience ? .repair : .needlessRepair
    }
}

extension [Feedback.LostPackets] {
    /// Adds a number that is higher than those before it.
    ///
    /// - Returns: whether there was room.
    fileprivate mutating func add(_ number: SequenceNumber, limit: Int) -> Bool {
        let distance = last.map { number.distance(from: $0.first) } ?? .max
        if (1...16).contains(distance) {
            self[count - 1].following |= 1 << UInt16(distance - 1)
            return true
        }
        guard count < limit else { return false }
        append(Feedback.LostPackets(first: number))
        return true
    }
}
