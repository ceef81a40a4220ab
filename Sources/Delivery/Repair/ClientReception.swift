import Media
import RTP

/// What a client has last reported about the packets of one track (RFC 3550, section 6.4.1).
public struct ClientReception: Hashable, Sendable {
    /// Packets that the client lacks since its start, after repair; never negative.
    public let missingPackets: Int64
    /// The share of packets lost since the report before, 0 … 1. What was sent again in a stream of its own counts as lost.
    public let lossShare: Double
    /// The jitter, in ticks of the track's clock.
    public let jitter: UInt32
    /// The round-trip time in nanoseconds; `nil` if the client has had no sender report.
    public let roundTripNanoseconds: Int64?
    /// The packets that are missing for good: the largest number so far.
    private let lostForGood: Int64
    /// How many of them were not known from the report before.
    let newlyLost: Int64

    /// - Parameters:
    ///   - former: the report before; `nil` if this is the first.
    ///   - repairedPackets: packets that were sent again in a stream of their own, so that the client counts them as lost; `nil` if
    ///     packets are sent again as they were. What is missing then may still be under way, and counts if the next report lacks it too.
    ///   - hidesLosses: whether the client counts copies as received, so that losses of one report are gone in the next.
    ///   - ntpTime: the present time as the sender reports count it.
    init(
        _ block: ReportBlock, after former: Self?, repairedPackets: Int64?, hidesLosses: Bool = false,
        at ntpTime: NTPTime
    ) {
        missingPackets = max(0, Int64(block.cumulativeLost) - (repairedPackets ?? 0))
        lossShare = Double(block.fractionLost) / 256
        jitter = block.jitter
        roundTripNanoseconds = block.roundTripNanoseconds(now: ntpTime)
        let certain = repairedPackets == nil ? missingPackets : min(missingPackets, former?.missingPackets ?? 0)
        let formerlyLost = (hidesLosses ? former?.missingPackets : former?.lostForGood) ?? 0
        lostForGood = max(formerlyLost, certain)
        newlyLost = lostForGood - formerlyLost
    }
}

extension ReportBlock {
    /// A client's first report, with a share of lost packets that its total permits. live555 counts the sequence numbers before its first
    /// packet as lost in the share of its first report, but not in the total.
    ///
    /// - Parameter packetCount: the packets that were sent so far.
    func asFirst(ofSent packetCount: UInt32) -> Self {
        guard packetCount > 0 else { return self }
        var block = self
        block.fractionLost = min(
            fractionLost, UInt8(clamping: Int64(max(0, cumulativeLost)) * 256 / Int64(packetCount)))
        return block
    }
}
