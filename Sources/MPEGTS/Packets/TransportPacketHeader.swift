import Wire

/// The header of a received transport packet with its adaptation field (ISO/IEC 13818-1, 2.4.3.2), and where the payload begins.
struct TransportPacketHeader: Hashable, Sendable {
    let pid: PacketIdentifier
    /// Whether a PES packet or a section begins in the payload.
    let startsUnit: Bool
    let isScrambled: Bool
    let continuity: UInt8
    let adaptation: AdaptationField
    /// Bytes of the adaptation field that only fill the packet.
    let stuffingByteCount: Int
    /// The offset of the payload; `nil` if there is none.
    let payloadStart: Int?

    /// `nil` unless these are the 188 bytes of a packet without an error.
    init?(_ packet: RawSpan) {
        var reader = ByteReader(packet)
        guard packet.byteCount == TransportPacket.byteCount, reader.uint8() == TransportPacket.syncByte,
            let word = reader.uint16(), word & 0x8000 == 0, let flags = reader.uint8(), flags & 0x30 != 0
        else { return nil }
        pid = PacketIdentifier(lowBitsOf: word)
        startsUnit = word & 0x4000 != 0
        isScrambled = flags & 0xC0 != 0
        continuity = flags & 0x0F
        var stuffing = 0
        if flags & 0x20 != 0 {
            guard let count = reader.uint8(), let field = reader.take(Int(count)),
                let adaptation = AdaptationField(parsing: field, stuffing: &stuffing)
            else { return nil }
            self.adaptation = adaptation
        } else {
            adaptation = AdaptationField()
        }
        stuffingByteCount = stuffing
        let hasPayload = flags & 0x10 != 0 && reader.remaining > 0
        payloadStart = hasPayload ? reader.offset : nil
    }
}
