import Wire

/// Lays the framed bytes of one access unit, or a part of it, into PES packets, and those into transport packets.
///
/// Every PES packet says its length and ends with its last transport packet, so a receiver hands it on when it is there:
/// one of unknown length ends for it only where the next begins, a frame later. A unit too long for the 16 bits of the
/// length is therefore cut into several PES packets, of which only the first has times; an access unit may span them
/// (ISO/IEC 13818-1, 2.4.3.7: times are those of the first access unit that commences in the packet).
struct PESWriter {
    /// So many transport packets one PES packet fills at most: the length counts to 65 535, behind 6 bytes.
    private static let maximumPacketCount = (0xFFFF + 6) / TransportPacket.bodyByteCount

    private let pid: PacketIdentifier
    private(set) var counter: ContinuityCounter
    /// Of the PES packet that begins next.
    private var header: PESHeader
    /// Of the transport packet that begins next.
    private var adaptation: AdaptationField
    /// Bytes of the unit that are in no PES packet yet.
    private var unitRemainder: Int
    /// Bytes of the unit that the present PES packet still takes, and of these the present transport packet.
    private var bodyRemainder = 0
    private var packetRemainder = 0

    /// - Parameter byteCount: what will be appended.
    init(of byteCount: Int, on stream: ElementaryStream, times: PESHeader.Times?, adaptation: AdaptationField) {
        pid = stream.pid
        counter = stream.counter
        header = PESHeader(streamID: stream.streamID, times: times)
        self.adaptation = adaptation
        unitRemainder = byteCount
    }

    /// Transport packets that such a writer will write.
    var packetCount: Int {
        var (header, adaptation, remainder, count) = (header, adaptation.byteCount, unitRemainder, 0)
        while remainder > 0 {
            let body = min(remainder, Self.maximumBodyByteCount(behind: header, adaptation: adaptation))
            let bytes = adaptation + header.byteCount + body
            count += (bytes + TransportPacket.bodyByteCount - 1) / TransportPacket.bodyByteCount
            remainder -= body
            (header, adaptation) = (PESHeader(streamID: header.streamID, times: nil), 0)
        }
        return count
    }

    private static func maximumBodyByteCount(behind header: PESHeader, adaptation: Int) -> Int {
        maximumPacketCount * TransportPacket.bodyByteCount - adaptation - header.byteCount
    }

    @_lifetime(output: copy output)
    mutating func append(_ bytes: RawSpan, to output: inout OutputRawSpan) {
        var offset = 0
        while offset < bytes.byteCount {
            if packetRemainder == 0 { beginPacket(to: &output) }
            let count = min(packetRemainder, bytes.byteCount - offset)
            output.append(bytes.extracting(offset..<(offset + count)))
            take(count)
            offset += count
        }
    }

    @_lifetime(output: copy output)
    mutating func append(_ byte: UInt8, to output: inout OutputRawSpan) {
        if packetRemainder == 0 { beginPacket(to: &output) }
        output.append(byte)
        take(1)
    }

    private mutating func take(_ count: Int) {
        packetRemainder -= count
        bodyRemainder -= count
    }

    /// Opens a transport packet, and with it a PES packet where the last one is full.
    @_lifetime(output: copy output)
    private mutating func beginPacket(to output: inout OutputRawSpan) {
        let startsUnit = bodyRemainder == 0
        if startsUnit {
            bodyRemainder = min(
                unitRemainder, Self.maximumBodyByteCount(behind: header, adaptation: adaptation.byteCount))
            unitRemainder -= bodyRemainder
        }
        precondition(bodyRemainder > 0, "a unit is no longer than it was announced")
        let headerByteCount = startsUnit ? header.byteCount : 0
        let payload = min(
            headerByteCount + bodyRemainder, TransportPacket.bodyByteCount - adaptation.byteCount)
        let stuffed = TransportPacket.bodyByteCount - payload
        TransportPacket.writeHeader(
            pid, startsUnit: startsUnit, content: stuffed > 0 ? .both : .payload, continuity: counter.next,
            to: &output)
        counter.advance()
        adaptation.write(stuffedTo: stuffed, to: &output)
        adaptation = AdaptationField()
        packetRemainder = payload - headerByteCount
        guard startsUnit else { return }
        header.write(bodyByteCount: bodyRemainder, to: &output)
        header = PESHeader(streamID: header.streamID, times: nil)
    }
}
