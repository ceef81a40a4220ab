/// What `apus bench limit` found.
public struct LimitReport: Codable, Equatable, Sendable {
    public var viewers: Int
    public var bitsPerSecond: Int
    public var unitsPerSecond: Double
    public var packetsPerUnit: Double
    /// With the RTP header.
    public var packetByteCount: Int
    public var isPaced: Bool
    /// Trains that the kernel cuts, many in one `sendmmsg`, to receivers that take each in one piece (UDP_GRO): nearly
    /// sending alone, as where a network card cuts them.
    public var wholeTrains: SendingCost
    /// The same to receivers as those of `apus bench viewers`: over loopback, the sender's processor cuts on arrival.
    public var cutTrains: SendingCost
    /// One `sendmsg` per packet.
    public var datagrams: SendingCost
    /// One `writev` per unit and connection.
    public var connections: SendingCost
    /// How much dearer datagrams are than trains in one piece.
    public var datagramsToTrains: Double
    /// Whether the figures are worth nothing, because of `voidReasons`.
    public var void: Bool
    public var voidReasons: [String]

    init(
        _ plan: LimitPlan, wholeTrains: SendingCost, cutTrains: SendingCost, datagrams: SendingCost,
        connections: SendingCost
    ) {
        (viewers, bitsPerSecond, isPaced) = (plan.viewers, plan.bitsPerSecond, plan.isPaced)
        (unitsPerSecond, packetsPerUnit) = (plan.unitsPerSecond, plan.packetsPerUnit)
        packetByteCount = plan.packetByteCount
        (self.wholeTrains, self.cutTrains) = (wholeTrains, cutTrains)
        (self.datagrams, self.connections) = (datagrams, connections)
        let cost = wholeTrains.processorSecondsPerGigabyte
        datagramsToTrains = cost > 0 ? datagrams.processorSecondsPerGigabyte / cost : 0
        voidReasons = Self.reasons(
            ratio: datagramsToTrains,
            [
                ("trains, whole", wholeTrains), ("trains, cut", cutTrains), ("datagrams", datagrams),
                ("TCP", connections),
            ])
        void = !voidReasons.isEmpty
    }

    /// Trains that are not this much cheaper than datagrams are none: somewhere they were cut too early.
    private static let leastRatio = 3.0
    /// A receiver that misses more has not received: what is dropped is cheaper than what is delivered.
    private static let traceShare = 0.001

    private static func reasons(ratio: Double, _ ways: [(name: String, cost: SendingCost)]) -> [String] {
        var reasons: [String] = []
        if ratio < leastRatio {
            let (found, least) = (ReportTable.number(ratio, digits: 2), ReportTable.number(leastRatio, digits: 0))
            reasons.append("datagrams cost only \(found) times as much as trains, not \(least) times")
        }
        for way in ways where way.cost.missingShare > traceShare {
            let share = ReportTable.number(100 * way.cost.missingShare, digits: 2)
            reasons.append("\(way.name): \(share) % was lost or not taken")
        }
        return reasons
    }

    public var table: String {
        var table = ReportTable()
        let rate = "\(ReportTable.number(Double(bitsPerSecond) / 1e6, digits: 2)) Mbit/s"
        let fps = "\(ReportTable.number(unitsPerSecond, digits: 2)) fps"
        table.add("viewers", "\(viewers) of \(rate) at \(fps), \(isPaced ? "at its pace" : "as fast as it goes")")
        table.add(
            "access unit", "\(ReportTable.number(packetsPerUnit)) packets of \(packetByteCount) bytes")
        table.add("UDP, trains received whole", wholeTrains.text)
        table.add("UDP, trains cut on arrival", cutTrains.text)
        table.add("UDP, datagrams", datagrams.text)
        table.add("TCP, writes", connections.text)
        table.add("datagrams to whole trains", "\(ReportTable.number(datagramsToTrains, digits: 2)) times the cost")
        for reason in voidReasons { table.add("VOID", reason) }
        return table.text
    }
}

extension SendingCost {
    fileprivate var text: String {
        func number(_ value: Double) -> String { ReportTable.number(value, digits: 2) }
        let lost = lostBytes + refusedBytes
        return "\(number(processorSecondsPerGigabyte)) CPU-s/GB (\(number(cheapestRound))–\(number(dearestRound))), "
            + "\(number(gigabitsPerSecond)) Gbit/s, \(ReportTable.megabytes(bytes))"
            + (lost > 0 ? ", \(ReportTable.megabytes(lost)) lost" : "")
            + ", receivers \(number(receivingSecondsPerGigabyte)) CPU-s/GB"
    }
}
