/// What a receiver report (RFC 3550, section 6.4.1) tells about the path.
public struct LossReport: Hashable, Sendable {
    /// The share of packets lost since the previous report, in 1/256.
    public var fractionLost: UInt8
    /// Packets lost since the start; duplicates can make it negative.
    public var cumulativeLost: Int32
    /// The highest sequence number received, with the count of its cycles.
    public var extendedHighestSequenceNumber: UInt32
    /// Interarrival jitter in nanoseconds.
    public var jitter: Int64
    /// Nanoseconds, from LSR and DLSR; `nil` before the first sender report has arrived.
    public var roundTripTime: Int64?
    /// The mean size of the packets sent lately, in bytes: it makes a rate of the counted packets.
    public var meanPacketByteCount: Int

    public init(
        fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequenceNumber: UInt32, jitter: Int64 = 0,
        roundTripTime: Int64? = nil, meanPacketByteCount: Int
    ) {
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.jitter = jitter
        self.roundTripTime = roundTripTime
        self.meanPacketByteCount = meanPacketByteCount
    }
}

/// Whether lost packets are sent again if the viewer asks for them.
public enum Repair: Hashable, Sendable {
    /// NACKs are answered (RFC 4585, 4588), or the transport repairs by itself.
    case works
    case none
}

/// The loss and the delivered rate between successive reports of one viewer.
struct LossHistory: Sendable {
    /// What one report adds to the reports before it.
    struct Interval: Hashable, Sendable {
        /// The share of packets lost, 0...1, before repair.
        var lossShare: Double
        /// The rate that arrived; `nil` if the report cannot tell.
        var delivered: DataRate?
        /// Nanoseconds by which the round-trip time, or else the jitter, exceeds the least one.
        var delayRise: Int64
    }

    private var previous: (report: LossReport, at: Int64)?
    private var leastRoundTripTime = Int64.max
    private var leastJitter = Int64.max
    /// Packets that NACKs have asked for since the previous report.
    private var nackedPackets: Int64 = 0

    mutating func receivedNACK(packetCount: Int) {
        // 2¹⁶ sequence numbers exist; more cannot be missing.
        nackedPackets = min(nackedPackets + Int64(min(max(0, packetCount), 65_536)), 65_536)
    }

    mutating func received(_ report: LossReport, at now: Int64) -> Interval {
        defer {
            previous = (report, now)
            nackedPackets = 0
        }
        let rise = delayRise(report)
        // Reports of less than 50 ms count too few packets; after 30 s, sequence numbers may have wrapped unseen.
        // live555 counts the sequence numbers before its first packet as lost in the share of its first report, but not in the total.
        if previous == nil, report.cumulativeLost <= 0 {
            return Interval(lossShare: 0, delivered: nil, delayRise: rise)
        }
        guard let (last, time) = previous, now &- time >= 50_000_000, now &- time <= 30_000_000_000 else {
            return Interval(lossShare: Double(report.fractionLost) / 256, delivered: nil, delayRise: rise)
        }
        let expected = Int64(report.extendedHighestSequenceNumber &- last.extendedHighestSequenceNumber)
        // A report of an old state, or a receiver that has started again.
        guard expected > 0, expected < 1 << 24 else {
            return Interval(lossShare: Double(report.fractionLost) / 256, delivered: nil, delayRise: rise)
        }
        let lost = min(max(0, Int64(report.cumulativeLost) - Int64(last.cumulativeLost)), expected)
        let byteCount = Int64(min(max(0, report.meanPacketByteCount), 65_535))
        return Interval(
            lossShare: min(1, Double(lost + nackedPackets) / Double(expected)),
            delivered: DataRate(byteCount: (expected - lost) * byteCount, nanoseconds: now &- time),
            delayRise: rise)
    }

    private mutating func delayRise(_ report: LossReport) -> Int64 {
        if let time = report.roundTripTime, time > 0 {
            leastRoundTripTime = min(leastRoundTripTime, time)
            return time - leastRoundTripTime
        }
        guard report.jitter > 0 else { return 0 }
        leastJitter = min(leastJitter, report.jitter)
        return report.jitter - leastJitter
    }
}
