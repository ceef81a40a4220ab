import Media
import Wire

/// The transport packets of one access unit, or of a part of it: counted, and ready to be written.
public struct TransportPackets: Sendable {
    let unit: AccessUnit
    /// With the counter's value before the first packet; the same applies to `tables`.
    let stream: ElementaryStream
    let writer: PESWriter
    let tables: ProgramTables?
    /// A clock reference in a packet of its own before the unit, on the PID of the leading stream.
    let interim: Interim?

    struct Interim: Sendable {
        let reference: ClockReference
        let pid: PacketIdentifier
        let counter: ContinuityCounter
    }

    /// The number of packets that carry the unit itself.
    var unitPacketCount: Int { writer.packetCount }

    /// The size of all packets: the number of bytes that `write` writes.
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
