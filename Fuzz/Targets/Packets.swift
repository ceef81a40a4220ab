import Media
import RTP
import Wire

/// RTP packets with the sequence numbers, timestamps and markers that a script says.
struct PacketScript {
    private var script: Script
    private var number: UInt16 = 65_530
    private var timestamp: UInt32 = 0

    init(_ input: [UInt8]) {
        script = Script(input)
    }

    /// The next packet; `nil` at the end.
    mutating func next() -> (header: Header, payload: [UInt8])? {
        guard !script.isAtEnd else { return nil }
        let flags = script.byte()
        // Mostly the next number, sometimes a gap, a repetition or a late one.
        switch flags & 0x07 {
        case 0: number &+= 2
        case 1: break
        case 2: number &-= 3
        default: number &+= 1
        }
        if flags & 0x18 == 0x18 { timestamp &+= 3_000 }
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: flags & 0x20 != 0,
            sequenceNumber: SequenceNumber(number),
            timestamp: timestamp, ssrc: SSRC(1))
        return (header, script.chunk())
    }
}

/// What must be true of everything a depacketizer gives.
func check(_ unit: ReceivedUnit) {
    require(!unit.units.isEmpty, "a unit holds something")
    var end = 0
    for range in unit.units {
        require(range.lowerBound == end && !range.isEmpty, "units lie back to back and are not empty")
        end = range.upperBound
    }
    require(end == unit.bytes.count, "units cover the bytes")
}

/// The unit as a source would publish it.
func accessUnit(_ unit: ReceivedUnit, rate: ClockRate) -> AccessUnit {
    let time = MediaTime(ticks: Int64(unit.rtpTimestamp), rate: rate)
    return AccessUnit(
        track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: false, bytes: unit.bytes,
        units: unit.units)
}

/// Checks a run's tables and hands each packet over with the header that a viewer would send.
func packets(of run: PacketRun, maximumPacketBytes: Int, each: (Header, [UInt8]) -> Void) {
    require(
        run.gsoBatches.first?.lowerBound == 0 && run.gsoBatches.last?.upperBound == run.packets.count,
        "trains cover the run")
    for gsoBatch in run.gsoBatches {
        let lengths = run.packets[gsoBatch].map(\.byteCount)
        require(lengths.dropLast().allSatisfy { $0 == lengths[0] }, "packets of a train are of one length")
        require(lengths[lengths.count - 1] <= lengths[0], "only the last packet of a train may be shorter")
    }
    for (index, packet) in run.packets.enumerated() {
        require(Int(packet.byteCount) + 12 <= maximumPacketBytes, "packets keep to their limit")
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: packet.isMarked,
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)),
            timestamp: run.presentationTime.rtpTicks, ssrc: SSRC(1))
        each(header, [UInt8](run.payload(of: packet)))
    }
}
