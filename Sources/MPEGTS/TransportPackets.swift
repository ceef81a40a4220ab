import Media
import Wire

/// The transport packets of one access unit, or of a part of it: counted, and ready to be written.
public struct TransportPackets: Sendable {
    let unit: AccessUnit
    /// With its counter as it is before the first packet; so too in `tables`.
    let stream: ElementaryStream
    let writer: PESWriter
    let tables: ProgramTables?
    /// What the clock's stream tells in a packet of its own before the unit.
    let interim: Interim?

    struct Interim: Sendable {
        let reference: ClockReference
        let pid: PacketIdentifier
        let counter: ContinuityCounter
    }

    /// Packets that carry the unit itself.
    var unitPacketCount: Int { writer.packetCount }

    /// Bytes of all packets: what `write` writes.
    public var byteCount: Int {
        let besides = (tables == nil ? 0 : ProgramTables.packetCount) + (interim == nil ? 0 : 1)
        return (besides + unitPacketCount) * TransportPacket.byteCount
    }

    @_lifetime(output: copy output)
    public func write(to output: inout OutputRawSpan) {
        if let tables { tables.write(to: &output) }
        if let interim {
            TransportPacket.write(
                AdaptationField(reference: interim.reference), on: interim.pid, after: interim.counter, to: &output)
        }
        var writer = writer
        stream.framing.write(unit, through: &writer, to: &output)
    }
}
