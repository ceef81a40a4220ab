import Media

/// Packetizes audio in payload formats without a header: each access unit is one packet (RFC 7587, section 4.2 for Opus; RFC 3551,
/// section 4.5.14 for G.711).
struct AudioPacketizer: Sendable {
    let maximumPayloadBytes: Int

    /// `nil` if the unit is longer than a packet, because these formats have no fragments.
    func packetize(_ unit: AccessUnit) -> PacketRun? {
        guard unit.units.count == 1, unit.units[0].count <= maximumPayloadBytes else { return nil }
        return PacketRun(of: unit, capacity: unit.units[0].count) { writer in
            // The marker bit means the start of a talkspurt after silence that was not sent. Here, all is sent.
            writer.marksAccessUnits = false
            writer.append(unit.bytes.rawSpan.extracting(unit.units[0]))
            writer.endPacket()
        }
    }
}
