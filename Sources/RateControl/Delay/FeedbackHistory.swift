/// What transport-wide feedback has told about the packets of one viewer.
struct FeedbackHistory: Sendable {
    private(set) var trend = DelayTrend()
    var queueDelay = QueueDelay()
    private(set) var arrivals = ArrivalRate()
    private(set) var bursts = BurstRate()

    /// What became of the packets that were sent in one second.
    struct Second: Hashable, Sendable {
        /// The share of lost packets, 0...1.
        var lossShare: Double
        var delivered: DataRate
    }

    /// The last complete second, until it is taken.
    private var lastSecond: Second?
    private var secondStart: Int64?
    private var lostCount = 0
    private var packetCount = 0
    private var arrivedByteCount: Int64 = 0

    /// Whether packets wait in a queue for longer than noise explains: 20 ms.
    var isDelayed: Bool { queueDelay.standing > 20_000_000 }

    /// The last complete second of sending; `nil` if it was taken before.
    mutating func takeSecond() -> Second? { lastSecond.take() }

    /// Begins a new second.
    mutating func forgetSecond() {
        (lastSecond, secondStart, lostCount, packetCount, arrivedByteCount) = (nil, nil, 0, 0, 0)
    }

    mutating func received(_ packet: PacketFeedback) {
        count(packet)
        guard let arrival = packet.arrival else { return }
        trend.received(sent: packet.sent, arrival: arrival)
        queueDelay.received(sent: packet.sent, arrival: arrival)
        arrivals.received(byteCount: packet.byteCount, arrival: arrival)
        bursts.received(packet.byteCount, sent: packet.sent, arrival: arrival)
    }

    private mutating func count(_ packet: PacketFeedback) {
        let start = secondStart ?? packet.sent
        secondStart = start
        let elapsed = packet.sent &- start
        if elapsed >= 1_000_000_000 || packet.sent < start {
            // Fewer packets tell nothing about a share.
            lastSecond =
                packetCount < 20
                ? nil
                : Second(
                    lossShare: Double(lostCount) / Double(packetCount),
                    delivered: DataRate(byteCount: arrivedByteCount, nanoseconds: max(elapsed, 1_000_000_000)))
            (secondStart, lostCount, packetCount, arrivedByteCount) = (packet.sent, 0, 0, 0)
        }
        packetCount = min(packetCount + 1, 1_000_000)
        if packet.arrival == nil {
            lostCount = min(lostCount + 1, 1_000_000)
        } else {
            // At most 64 KB a packet, and too few packets to overflow.
            arrivedByteCount &+= Int64(min(max(0, packet.byteCount), 65_535))
        }
    }
}
