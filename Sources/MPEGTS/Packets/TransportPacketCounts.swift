import Wire

/// Counts the packets of a transport stream, and those that are missing by the continuity counters. It reads no payload.
public struct TransportPacketCounts: Sendable {
    private var synchroniser = TransportSynchroniser()
    /// At most one for each of the 8192 PIDs.
    private var checks: [PacketIdentifier: ContinuityCheck] = [:]
    /// Packets whose header has no error, including null packets.
    public private(set) var packetCount = 0
    /// The least number of missing packets. A counter has four bits, so 16 missing packets are not noticed.
    public private(set) var missingCount = 0

    public init() {}

    /// More bytes have come. They may begin and end anywhere.
    public mutating func receive(_ bytes: RawSpan) {
        if synchroniser.passes(bytes) {
            for start in stride(from: 0, to: bytes.byteCount, by: TransportPacket.byteCount) {
                count(bytes.extracting(start..<(start + TransportPacket.byteCount)))
            }
            return
        }
        synchroniser.push(bytes)
        while let packet = synchroniser.next() { count(packet.rawSpan) }
    }

    private mutating func count(_ packet: RawSpan) {
        guard let header = TransportPacketHeader(packet) else { return }
        packetCount += 1
        // The counter of null packets is undefined, and packets without payload do not advance it (2.4.3.3).
        guard header.pid != .null, header.payloadStart != nil else { return }
        var check = checks[header.pid] ?? ContinuityCheck()
        let before = check.missingCount
        _ = check.step(to: header.continuity, isDiscontinuity: header.adaptation.isDiscontinuity)
        missingCount += check.missingCount - before
        checks[header.pid] = check
    }
}
