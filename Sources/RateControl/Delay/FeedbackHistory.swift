/// What transport-wide feedback has told about the packets of one viewer.
struct FeedbackHistory: Sendable {
    private(set) var trend = DelayTrend()
    var queueDelay = QueueDelay()
    private(set) var arrivals = ArrivalRate()
    private(set) var bursts = BurstRate()

    /// The share of lost packets, 0...1, in the last complete second of sending.
    private(set) var lossShare = 0.0
    private var secondStart: Int64?
    private var lostCount = 0
    private var packetCount = 0

    /// Whether packets wait in a queue for longer than noise explains: 20 ms.
    var isDelayed: Bool { queueDelay.standing > 20_000_000 }

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
        if packet.sent &- start >= 1_000_000_000 || packet.sent < start {
            // Fewer packets tell nothing about a share.
            lossShare = packetCount >= 20 ? Double(lostCount) / Double(packetCount) : 0
            (secondStart, lostCount, packetCount) = (packet.sent, 0, 0)
        }
        packetCount = min(packetCount + 1, 1_000_000)
        if packet.arrival == nil { lostCount = min(lostCount + 1, 1_000_000) }
    }
}
