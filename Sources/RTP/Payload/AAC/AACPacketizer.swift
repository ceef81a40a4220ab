import Media
import Wire

/// Converts AAC to RTP payloads, mode AAC-hbr (RFC 3640, section 3.3.6): one access unit per packet, so that none is delayed.
///
/// ```
/// +-------------------+---------+----------+------------------------+
/// | AU-headers-length | AU-size | AU-Index | access unit or fragment|
/// | 16 bits: 16       | 13 bits | 3 bits: 0|                        |
/// +-------------------+---------+----------+------------------------+
/// ```
struct AACPacketizer: Sendable {
    let maximumPayloadBytes: Int

    /// The limit of the 13-bit AU-size. AAC itself allows at most 6 144 bits per channel.
    static let maximumAccessUnitBytes = 8191

    func packetize(_ unit: AccessUnit) -> PacketRun? {
        guard unit.units.allSatisfy({ $0.count <= Self.maximumAccessUnitBytes }) else { return nil }
        if unit.units.count == 1 {
            return packetizeOne(unit.units[0], of: unit)
        }
        return packetizeSeveral(unit)
    }

    private func packetizeOne(_ block: Range<Int>, of unit: AccessUnit) -> PacketRun? {
        let maximum = maximumPayloadBytes - 4
        return PacketRun(of: unit, capacity: block.count + 4 * (block.count / maximum + 1)) { writer in
            for fragment in EqualFragments(of: block, maximum: maximum) {
                writer.append(16 as UInt16)
                // The AU-size of a fragment is that of the whole access unit (RFC 3640, section 3.2.1.1).
                writer.append(UInt16(block.count) << 3)
                writer.append(unit.bytes.rawSpan.extracting(fragment))
                writer.endPacket()
            }
        }
    }

    /// Puts several blocks into one packet, because a run has one timestamp, from which a receiver derives those of all blocks;
    /// `nil` if they do not fit.
    private func packetizeSeveral(_ unit: AccessUnit) -> PacketRun? {
        let blocks = unit.units
        let byteCount = 2 + 2 * blocks.count + blocks.reduce(0) { $0 + $1.count }
        guard byteCount <= maximumPayloadBytes else { return nil }
        return PacketRun(of: unit, capacity: byteCount) { writer in
            writer.append(UInt16(16 * blocks.count))
            for block in blocks { writer.append(UInt16(block.count) << 3) }
            for block in blocks { writer.append(unit.bytes.rawSpan.extracting(block)) }
            writer.endPacket()
        }
    }
}
