import Fuzzing
import Media
import RTP
import Wire

/// RTP packets with sequence numbers, timestamps and markers from a script.
struct PacketScript {
    private var script: Script
    private var number: UInt16 = 65_530
    private var timestamp: UInt32 = 0

    init(_ input: [UInt8]) {
        script = Script(input)
    }

    /// Returns the next packet; `nil` at the end.
    mutating func next() -> (header: Header, payload: [UInt8])? {
        guard !script.isAtEnd else { return nil }
        let flags = script.byte()
        // Usually the next number, sometimes a gap, a duplicate or a late one.
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

/// The properties of everything that a depacketizer returns.
func check(_ unit: ReceivedUnit) {
    require(!unit.units.isEmpty, "an access unit is not empty")
    var end = 0
    for range in unit.units {
        require(range.lowerBound == end && !range.isEmpty, "NAL units are contiguous and not empty")
        end = range.upperBound
    }
    require(end == unit.bytes.count, "NAL units cover the bytes")
}

/// Returns the unit as a source would publish it.
func accessUnit(_ unit: ReceivedUnit, rate: ClockRate) -> AccessUnit {
    let time = MediaTime(ticks: Int64(unit.rtpTimestamp), rate: rate)
    return AccessUnit(
        track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: false, bytes: unit.bytes,
        units: unit.units)
}

/// Checks the tables of a run and calls the closure for each packet, with the header that a viewer would get.
func packets(of run: PacketRun, maximumPacketBytes: Int, each: (Header, [UInt8]) -> Void) {
    require(
        run.gsoBatches.first?.lowerBound == 0 && run.gsoBatches.last?.upperBound == run.packets.count,
        "GSO batches cover the run")
    for gsoBatch in run.gsoBatches {
        let lengths = run.packets[gsoBatch].map(\.byteCount)
        require(lengths.dropLast().allSatisfy { $0 == lengths[0] }, "packets of a GSO batch have the same length")
        require(lengths[lengths.count - 1] <= lengths[0], "only the last packet of a GSO batch may be shorter")
    }
    for (index, packet) in run.packets.enumerated() {
        require(Int(packet.byteCount) + 12 <= maximumPacketBytes, "packets respect the size limit")
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 96), isMarked: packet.isMarked,
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: index)),
            timestamp: run.presentationTime.rtpTicks, ssrc: SSRC(1))
        each(header, [UInt8](run.payload(of: packet)))
    }
}
