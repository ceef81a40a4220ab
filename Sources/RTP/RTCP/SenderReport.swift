import Media
import Wire

/// SR: a sender's counters, and the wall-clock time of one RTP timestamp (RFC 3550, section 6.4.1).
public struct SenderReport: Hashable, Sendable {
    public var ssrc: SSRC
    /// The wall-clock time of `rtpTimestamp`: for live video, the time of capture.
    public var ntpTime: NTPTime
    public var rtpTimestamp: UInt32
    /// Packets sent since the start; wraps.
    public var packetCount: UInt32
    /// Payload bytes sent since the start, without headers and padding; wraps.
    public var octetCount: UInt32
    /// At most 31 are written.
    public var blocks: [ReportBlock]

    public init(
        ssrc: SSRC, ntpTime: NTPTime, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32,
        blocks: [ReportBlock] = []
    ) {
        self.ssrc = ssrc
        self.ntpTime = ntpTime
        self.rtpTimestamp = rtpTimestamp
        self.packetCount = packetCount
        self.octetCount = octetCount
        self.blocks = blocks
    }

    init?(body: RawSpan, blockCount: Int) {
        var reader = ByteReader(body)
        guard let ssrc = reader.uint32(), let ntp = reader.uint64(), let timestamp = reader.uint32(),
            let packets = reader.uint32(), let octets = reader.uint32()
        else { return nil }
        self.init(
            ssrc: SSRC(ssrc), ntpTime: NTPTime(rawValue: ntp), rtpTimestamp: timestamp, packetCount: packets,
            octetCount: octets)
        for _ in 0..<blockCount {
            guard let block = ReportBlock.read(&reader) else { return nil }
            blocks.append(block)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.uint32(ssrc.rawValue)
        writer.uint64(ntpTime.rawValue)
        writer.uint32(rtpTimestamp)
        writer.uint32(packetCount)
        writer.uint32(octetCount)
        for block in blocks.prefix(31) { block.write(to: &writer) }
    }
}
