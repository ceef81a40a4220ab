import Wire

/// A packet of an RTP stream of lost packets (RFC 4588, section 4): the lost packet with another source, payload type and sequence number,
/// and with its original sequence number before the payload.
public enum RetransmittedPacket {
    /// The lost packet as it was sent first, apart from its header extension.
    ///
    /// - Parameters:
    ///   - payloadType: of the stream from which the packet was lost.
    ///   - source: of that stream.
    /// - Returns: `nil` if the packet is no RTP, or contains no lost packet: senders measure paths by packets of padding.
    public static func original(
        of packet: RawSpan, payloadType: PayloadType, source: SSRC
    ) -> [UInt8]? {
        guard let (header, payload) = Header.parse(packet), payload.count > numberByteCount else { return nil }
        var reader = ByteReader(packet.extracting(payload))
        guard let number = reader.uint16() else { return nil }
        let original = Header(
            payloadType: payloadType, isMarked: header.isMarked, sequenceNumber: SequenceNumber(number),
            timestamp: header.timestamp, ssrc: source)
        var writer = ByteWriter(capacity: Header.fixedByteCount + payload.count)
        original.write(to: &writer)
        writer.append(reader.takeRest())
        return writer.bytes
    }

    /// The length of the original sequence number.
    private static let numberByteCount = 2
}
