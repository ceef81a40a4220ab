/// The result of `apus bench limit`.
public struct LimitReport: Codable, Equatable, Sendable {
    public var viewers: Int
    public var bitrate: Int
    public var unitsPerSecond: Double
    public var packetsPerUnit: Double
    /// Including the RTP header.
    public var packetByteCount: Int
    public var isPaced: Bool
    /// GSO batches, many in one `sendmmsg`, to receivers with UDP_GRO, which receive each batch unsegmented. This is nearly the
    /// cost of sending alone, as with a network card that segments.
    public var gsoWithGRO: SendingCost
    /// GSO batches to receivers without UDP_GRO: over loopback, the sender's processor segments the batches on arrival.
    public var gso: SendingCost
    /// One `sendmsg` per packet.
    public var datagrams: SendingCost
    /// One `writev` per unit and connection.
    public var connections: SendingCost
    /// The cost of single datagrams divided by that of GSO batches with GRO.
    public var datagramsToGSO: Double
    /// Whether the result is invalid, for `voidReasons`.
    public var void: Bool
    public var voidReasons: [String]

    private enum CodingKeys: String, CodingKey {
        case viewers
        case bitrate = "bitsPerSecond"
        case unitsPerSecond, packetsPerUnit, packetByteCount, isPaced
        case gsoWithGRO = "wholeTrains"
        case gso = "cutTrains"
        case datagrams, connections
        case datagramsToGSO = "datagramsToTrains"
        case void, voidReasons
    }

    init(
        _ plan: LimitPlan, gsoWithGRO: SendingCost, gso: SendingCost, datagrams: SendingCost,
        connections: SendingCost
    ) {
        (viewers, bitrate, isPaced) = (plan.viewers, plan.bitrate, plan.isPaced)
        (unitsPerSecond, packetsPerUnit) = (plan.unitsPerSecond, plan.packetsPerUnit)
        packetByteCount = plan.packetByteCount
        (self.gsoWithGRO, self.gso) = (gsoWithGRO, gso)
        (self.datagrams, self.connections) = (datagrams, connections)
        let cost = gsoWithGRO.processorSecondsPerGigabyte
        datagramsToGSO = cost > 0 ? datagrams.processorSecondsPerGigabyte / cost : 0
        voidReasons = Self.reasons(
            ratio: datagramsToGSO,
            [
                ("GSO with GRO", gsoWithGRO), ("GSO", gso), ("datagrams", datagrams), ("TCP", connections),
            ])
        void = !voidReasons.isEmpty
    }

    /// If GSO batches are not this much cheaper than datagrams, they were segmented too early.
    private static let leastRatio = 3.0
    /// With more loss than this the result is invalid, because dropped packets cost less than delivered ones.
    private static let traceShare = 0.001

    private static func reasons(ratio: Double, _ methods: [(name: String, cost: SendingCost)]) -> [String] {
        var reasons: [String] = []
        if ratio < leastRatio {
            let (found, least) = (ReportTable.number(ratio, digits: 2), ReportTable.number(leastRatio, digits: 0))
            reasons.append("datagrams cost only \(found) times as much as GSO batches; \(least) times are expected")
        }
        for method in methods where method.cost.missingShare > traceShare {
            let share = ReportTable.number(100 * method.cost.missingShare, digits: 2)
            reasons.append("\(method.name): \(share) % was lost or refused")
        }
        return reasons
    }

    public var table: String {
        var table = ReportTable()
        let rate = "\(ReportTable.number(Double(bitrate) / 1e6, digits: 2)) Mbit/s"
        let fps = "\(ReportTable.number(unitsPerSecond, digits: 2)) fps"
        table.add("viewers", "\(viewers) of \(rate) at \(fps), \(isPaced ? "paced" : "as fast as possible")")
        table.add(
            "access unit", "\(ReportTable.number(packetsPerUnit)) packets of \(packetByteCount) bytes")
        table.add("UDP, GSO with GRO", gsoWithGRO.text)
        table.add("UDP, GSO", gso.text)
        table.add("UDP, datagrams", datagrams.text)
        table.add("TCP, writes", connections.text)
        table.add("datagrams to GSO with GRO", "\(ReportTable.number(datagramsToGSO, digits: 2)) times the cost")
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
