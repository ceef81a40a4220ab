import Media
import RTP
import RTSPClient
import SDP

/// Puts one track's packets into order and makes frames of them, each with the instants at which its packets came.
///
/// A frame ends with the marker or where the timestamp changes. Of codecs other than H.264 nothing but that is looked at.
/// A packet that is missing is waited for as long as `patience`; what comes behind it waits too, as in any player.
struct FrameAssembler {
    /// A frame that is at its end, and what a decoder can make a picture of.
    struct Completion {
        var frame: ReceivedFrame
        var unit: ReceivedUnit?
    }

    /// For how long a missing packet is waited for: FFmpeg's default for RTP over UDP, in nanoseconds.
    static let patience: Int64 = 100_000_000
    /// Packets that may wait behind a missing one: the largest IDR picture of 4K that is sent in practice.
    private static let mostWaiting = 1_024

    private struct Packet {
        let header: Header
        let payload: [UInt8]
        let arrival: MonotonicTime
        let byteCount: Int
    }

    private var reorder = ReorderBuffer<Packet>(capacity: mostWaiting)
    private var depacketizer: H264Depacketizer?
    private var previous: SequenceNumber?
    private var open: ReceivedFrame?
    private var finished: [Completion] = []

    init(_ payload: DescribedTrack.Payload) {
        if case .h264 = payload { depacketizer = H264Depacketizer() }
    }

    /// Packets whose payload breaks its format.
    var malformedCount: Int { depacketizer?.counts.malformedPackets ?? 0 }

    /// When `passGap` wants to be called; `nil` while nothing is missing.
    var nextDeadline: MonotonicTime? { reorder.first.map { $0.arrival + Self.patience } }

    mutating func received(_ packet: borrowing ReceivedPacket) {
        let header = Header(
            payloadType: PayloadType(lowBitsOf: 0), isMarked: packet.isMarked,
            sequenceNumber: SequenceNumber(packet.sequenceNumber), timestamp: packet.timestamp, ssrc: SSRC(0))
        let held = Packet(
            header: header, payload: [UInt8](packet.payload), arrival: packet.arrival, byteCount: packet.byteCount)
        _ = reorder.insert(held, header.sequenceNumber)
        takeOrdered()
    }

    /// Goes on without packets that have been missing for too long: since what stands behind them came.
    mutating func passGap(at now: MonotonicTime) {
        while let deadline = nextDeadline, deadline <= now {
            reorder.passGap()
            takeOrdered()
        }
    }

    /// The next frame, oldest first.
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
        if isAfterGap { frame.isWhole = false }
        open = frame
        if packet.header.isMarked { close(frame, units) }
    }

    /// Hands the packet to the depacketizer; answers the units that it ended.
    private mutating func units(with packet: Packet) -> [ReceivedUnit] {
        depacketizer?.push(packet.payload.span.bytes, header: packet.header)
        var units: [ReceivedUnit] = []
        while let unit = depacketizer?.next() { units.append(unit) }
        return units
    }

    private mutating func close(_ frame: ReceivedFrame, _ units: [ReceivedUnit]) {
        open = nil
        var frame = frame
        let unit = units.last { $0.rtpTimestamp == frame.timestamp }
        // A frame of H.264 that leaves no NAL unit is nothing but damage.
        if depacketizer != nil { frame.isWhole = frame.isWhole && unit?.isComplete == true }
        if let unit {
            frame.isKey = unit.units.contains { unit.bytes[$0.lowerBound] & 0x1F == 5 }
            frame.stamp = unit.captureTimestamp
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
    /// For the decoder, with `number` for its time, by which the picture is known again.
    func accessUnit(number: Int) -> AccessUnit {
        let time = MediaTime(ticks: Int64(number), rate: .video)
        return AccessUnit(
            track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: false, bytes: bytes,
            units: units)
    }

    var captureTimestamp: CaptureTimestamp? { accessUnit(number: 0).captureTimestamp }
}
