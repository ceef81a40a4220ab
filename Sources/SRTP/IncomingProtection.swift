import RTP

/// Opens the RTP and RTCP packets of a peer that sends media. Confined to its owner's thread.
public final class IncomingProtection {
    private let packets: IncomingPackets
    private let reports: IncomingReports

    public init(_ key: SenderKey) throws(SRTPFailure) {
        packets = try IncomingPackets(key)
        reports = try IncomingReports(key.key)
    }

    /// Returns the packet, which is valid until the next call; `nil` if it is forged, a replay or not encrypted.
    ///
    /// Devices send RTCP also to the port of RTP, so the packet type tells them apart. It is not encrypted.
    @_lifetime(borrow self)
    public func opened(_ packet: RawSpan) -> RawSpan? {
        guard let plain = Compound.mayBegin(packet) ? reports.plain(packet) : packets.plain(packet) else {
            return nil
        }
        return _overrideLifetime(plain.bytes, borrowing: self)
    }

    /// Whether an RTP packet is authentic and has not been received. The packet may be opened afterwards.
    public func isAuthentic(_ packet: RawSpan) -> Bool { packets.isAuthentic(packet) }

    /// Packets that were forged, or encrypted with another key, or not at all.
    public var failureCount: Int64 { packets.failureCount + reports.failureCount }
}
