import Wire

/// Writes the framed bytes of one access unit, or of a part of it, into PES packets and these into transport packets.
///
/// Every PES packet has a length and ends with its last transport packet, so a receiver can process it at once. (A packet of
/// unknown length ends only where the next one begins, a frame later.) A unit too long for the 16-bit length is split into
/// several PES packets, of which only the first has times, because an access unit may span packets
/// (ISO/IEC 13818-1, 2.4.3.7: times are those of the first access unit that commences in the packet).
struct PESWriter {
    /// Transport packets of one PES packet at most: the length field allows 65 535 bytes behind the first 6.
    private static let maximumPacketCount = (0xFFFF + 6) / TransportPacket.bodyByteCount

    private let pid: PacketIdentifier
    private(set) var counter: ContinuityCounter
    /// The header of the next PES packet.
    private var header: PESHeader
    /// The adaptation field of the next transport packet.
    private var adaptation: AdaptationField
    /// Bytes of the unit that are not in a PES packet yet.
    private var unitRemainder: Int
    /// Bytes that the current PES packet still takes, and of these the bytes in the current transport packet.
    private var bodyRemainder = 0
    private var packetRemainder = 0

    /// - Parameter byteCount: the number of bytes that will be appended.
    init(
        of byteCount: Int, on pid: PacketIdentifier, after counter: ContinuityCounter, header: PESHeader,
        adaptation: AdaptationField
    ) {
        self.pid = pid
        self.counter = counter
        self.header = header
        self.adaptation = adaptation
        unitRemainder = byteCount
    }

    /// The number of transport packets that this writer will write.
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

    /// Begins a transport packet, and also a PES packet if the last one is full.
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
