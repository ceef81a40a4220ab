import Media
import RTP
import RTSPClient
import SDP

/// Orders the packets of one track and assembles frames, with the arrival times of their packets.
///
/// A frame ends with its marker, or when the timestamp changes. Payload other than H.264 and H.265 is not parsed. Packets after a
/// missing packet wait for it for up to `gapTimeout`, as in any player.
struct FrameAssembler {
    /// A finished frame, and its access unit for the decoder.
    struct Completion {
        var frame: ReceivedFrame
        var unit: ReceivedUnit?
    }

    /// How long the assembler waits for a missing packet, in nanoseconds: FFmpeg's default for RTP over UDP.
    static let gapTimeout: Int64 = 100_000_000
    /// Maximum packets that wait for a missing one: the largest 4K keyframe in practice.
    private static let mostWaiting = 1_024

    private struct Packet {
        let header: Header
        let payload: [UInt8]
        let arrival: MonotonicTime
        let byteCount: Int
        let isRepair: Bool
    }

    private var reorder = ReorderBuffer<Packet>(capacity: mostWaiting)
    /// The depacketizer of the codec; the other is `nil`.
    private var h264: H264Depacketizer?
    private var h265: H265Depacketizer?
    private var previous: SequenceNumber?
    private var open: ReceivedFrame?
    private var finished: [Completion] = []

    init(_ payload: DescribedTrack.Payload) {
        switch payload.codec {
        case .h264: h264 = H264Depacketizer()
        case .h265: h265 = H265Depacketizer()
        case .aac, .opus, .pcma, .pcmu, nil: break
        }
    }

    /// The number of packets with malformed payload.
    var malformedCount: Int { (h264?.counts ?? h265?.counts)?.malformedPackets ?? 0 }

    /// When to call `passGap`; `nil` while no packet is missing.
    var nextDeadline: MonotonicTime? { reorder.first.map { $0.arrival + Self.gapTimeout } }

    mutating func received(_ packet: borrowing ReceivedPacket) {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 0), isMarked: packet.isMarked,
            sequenceNumber: SequenceNumber(packet.sequenceNumber), timestamp: packet.timestamp, ssrc: SSRC(0))
        let held = Packet(
            header: header, payload: [UInt8](packet.payload), arrival: packet.arrival, byteCount: packet.byteCount,
            isRepair: packet.isRepair)
        _ = reorder.insert(held, header.sequenceNumber)
        takeOrdered()
    }

    /// Continues without packets that have been missing for `gapTimeout`.
    mutating func passGap(at now: MonotonicTime) {
        while let deadline = nextDeadline, deadline <= now {
            reorder.passGap()
            takeOrdered()
        }
    }

    /// Returns the next finished frame, oldest first.
    mutating func next() -> Completion? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    private mutating func takeOrdered() {
        while let packet = reorder.next() { take(packet) }
    }

    private mutating func take(_ packet: Packet) {
        let isAfterGap = previous.map { packet.header.sequenceNumber != $0.advanced(by: 1) } ?? false
        previous = packet.header.sequenceNumber
        let units = units(with: packet)
        if isAfterGap { open?.isWhole = false }
        if let open, open.timestamp != packet.header.timestamp { close(open, units) }
        var frame = open ?? ReceivedFrame(beginning: packet.header.timestamp, at: packet.arrival)
        frame.add(packet.byteCount, at: packet.arrival)
        if packet.isRepair { frame.repairedPacketCount += 1 }
        if isAfterGap { frame.isWhole = false }
        open = frame
        if packet.header.isMarked { close(frame, units) }
    }

    /// Passes the packet to the depacketizer and returns the access units that it completes.
    private mutating func units(with packet: Packet) -> [ReceivedUnit] {
        h264?.push(packet.payload.span.bytes, header: packet.header)
        h265?.push(packet.payload.span.bytes, header: packet.header)
        var units: [ReceivedUnit] = []
        while let unit = h264?.next() ?? h265?.next() { units.append(unit) }
        return units
    }

    private mutating func close(_ frame: ReceivedFrame, _ units: [ReceivedUnit]) {
        open = nil
        var frame = frame
        let unit = units.last { $0.rtpTimestamp == frame.timestamp }
        // A frame without any NAL unit is damaged.
        if h264 != nil || h265 != nil { frame.isWhole = frame.isWhole && unit?.isComplete == true }
        if let unit {
            frame.isKey =
                h265 == nil
                ? unit.isRandomAccessPoint(H264PayloadHeader.self) : unit.isRandomAccessPoint(H265PayloadHeader.self)
            frame.captureTimestamp = unit.captureTimestamp
        }
        finished.append(Completion(frame: frame, unit: unit))
    }
}

extension ReceivedFrame {
    init(beginning timestamp: UInt32, at arrival: MonotonicTime) {
        self.init(
            timestamp: timestamp, firstPacket: arrival, lastPacket: arrival, packetByteCount: 0, packetCount: 0)
    }

    mutating func add(_ byteCount: Int, at arrival: MonotonicTime) {
        packetByteCount += byteCount
        packetCount += 1
        firstPacket = min(firstPacket, arrival)
        lastPacket = max(lastPacket, arrival)
    }
}

extension ReceivedUnit {
    /// The access unit for the decoder, with `number` as its time, which identifies the decoded frame.
    func accessUnit(number: Int) -> AccessUnit {
        let time = MediaTime(ticks: Int64(number), rate: .video)
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: false, bytes: bytes,
            units: units)
    }

    var captureTimestamp: CaptureTimestamp? { accessUnit(number: 0).captureTimestamp }
}
