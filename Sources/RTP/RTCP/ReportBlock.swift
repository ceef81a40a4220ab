import Media
import Wire

/// The reception quality of one source at one receiver (RFC 3550, section 6.4.1).
///
/// ```
/// |                 SSRC of the sender reported on                |
/// | fraction lost |     cumulative number of packets lost         |
/// |           extended highest sequence number received           |
/// |                      interarrival jitter                      |
/// |                         last SR (LSR)                         |
/// |                   delay since last SR (DLSR)                  |
/// ```
public struct ReportBlock: Hashable, Sendable {
    public var ssrc: SSRC
    /// The fraction of packets lost since the last report, in 1/256.
    public var fractionLost: UInt8
    /// −2²³ to 2²³ − 1; negative if duplicates outnumber losses. Writing clamps it to the range.
    public var cumulativeLost: Int32
    /// The highest sequence number in the low 16 bits, its wraps in the high 16 bits.
    public var extendedHighestSequenceNumber: UInt32
    /// In ticks of the RTP clock.
    public var jitter: UInt32
    /// `NTPTime.middle` of the last sender report; 0 if there was none.
    public var lastSenderReport: UInt32
    /// The time from the arrival of the sender report to this report, in 1/65 536 s.
    public var delaySinceLastSenderReport: UInt32

    public init(
        ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequenceNumber: UInt32,
        jitter: UInt32, lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    static let byteCount = 24

    /// The round-trip time in nanoseconds, for the sender that receives the block at `now`; `nil` if the receiver had no sender
    /// report or the times are inconsistent.
    public func roundTripNanoseconds(now: NTPTime) -> Int64? {
        guard lastSenderReport != 0 else { return nil }
        let units = Int32(bitPattern: now.middle &- lastSenderReport &- delaySinceLastSenderReport)
        guard units >= 0 else { return nil }
        return Int64(units) * 1_000_000_000 / 65_536
    }

    @_lifetime(reader: copy reader)
    static func read(_ reader: inout ByteReader) -> ReportBlock? {
        guard let ssrc = reader.uint32(), let fraction = reader.uint8(), let lost = reader.uint24(),
            let highest = reader.uint32(), let jitter = reader.uint32(), let last = reader.uint32(),
            let delay = reader.uint32()
        else { return nil }
        return ReportBlock(
            // Shifted up and back so that bit 23 becomes the sign.
            ssrc: SSRC(ssrc), fractionLost: fraction, cumulativeLost: Int32(bitPattern: lost << 8) >> 8,
            extendedHighestSequenceNumber: highest, jitter: jitter, lastSenderReport: last,
            delaySinceLastSenderReport: delay)
    }

    func write(to writer: inout ByteWriter) {
        let lost = min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)
        writer.uint32(ssrc.rawValue)
        writer.uint8(fractionLost)
        writer.uint24(UInt32(bitPattern: lost))
        writer.uint32(extendedHighestSequenceNumber)
        writer.uint32(jitter)
        writer.uint32(lastSenderReport)
        writer.uint32(delaySinceLastSenderReport)
    }
}
