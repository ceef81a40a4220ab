import Media
import Wire

/// Converts RTP payloads to access units of NAL units: H.264 (RFC 6184, packetization-mode 0 and 1) and H.265 (RFC 7798).
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none. A unit that has a
/// slice ends with the marker bit or where the timestamp changes. NAL units before the first slice belong to that slice's unit, even
/// if they have the marker bit or another timestamp, as SEI and parameter sets of some devices do. After a loss, the
/// affected fragmented NAL unit is dropped. NAL units that arrived whole are returned in a unit that is marked as incomplete.
///
/// It also accepts what some devices send against the RFC: empty fragments, a type that changes between the fragments of a NAL
/// unit, zeros after the last NAL unit of an aggregate, and start codes before or between NAL units.
public struct NALUnitDepacketizer<UnitHeader: NALUnitPayloadHeader>: Sendable {
    /// The maximum size of an access unit, so that a sender without marker bits cannot exhaust memory: twenty times a 4K IDR.
    public static var maximumUnitBytes: Int { 8 << 20 }
    /// The maximum number of NAL units in an access unit: 16 times what 8K encoders use.
    static var maximumNALUnits: Int { 4096 }

    /// The maximum size and number of NAL units without a slice that are kept for the next unit: many times what encoders send.
    static var maximumHeadBytes: Int { 65_536 }
    static var maximumHeadUnits: Int { 64 }

    public private(set) var counts = DepacketizerCounts()

    private var sequence = SequenceTracker()
    private var bytes: [UInt8] = []
    private var units: [Range<Int>] = []
    private var timestamp: UInt32?
    private var isComplete = true
    /// The start of the fragmented NAL unit that is being received.
    private var fragmentStart: Int?
    private var finished: [ReceivedUnit] = []

    public init() {
    }

    /// Pushes one packet's payload, without padding.
    public mutating func push(_ payload: RawSpan, header: Header) {
        let step = sequence.step(to: header.sequenceNumber)
        // Padding alone, by which a browser probes its path (RFC 3550, section 5.1): it has a number, and belongs to no unit.
        if payload.byteCount == 0, step == .next { return }
        switch step {
        case .late:
            counts.latePackets += 1
            return
        case .gap(let missing):
            counts.lostPackets += missing
            recordLoss()
            begin(header.timestamp)
            // The missing packets may have been the first of this unit.
            isComplete = false
        case .next:
            begin(header.timestamp)
        }
        if !append(payload) {
            counts.malformedPackets += 1
            recordLoss()
        }
        if header.isMarked { end() }
    }

    /// The oldest complete unit.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Ends the current unit, at the end of a stream whose last marker bit is missing.
    public mutating func flush() {
        end()
    }

    // MARK: - Units

    private mutating func begin(_ timestamp: UInt32) {
        if let open = self.timestamp, open != timestamp { end() }
        self.timestamp = timestamp
    }

    /// Ends the unit, if it has a slice.
    private mutating func end() {
        dropFragments()
        guard let timestamp, hasSlice else {
            if bytes.count > Self.maximumHeadBytes || units.count > Self.maximumHeadUnits { clear() }
            return
        }
        finished.append(ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: units, isComplete: isComplete))
        clear()
    }

    private var hasSlice: Bool {
        units.contains { UnitHeader(of: $0, in: bytes)?.isSlice == true }
    }

    private mutating func clear() {
        bytes = []
        units = []
        timestamp = nil
        isComplete = true
    }

    private mutating func recordLoss() {
        dropFragments()
        isComplete = false
    }

    private mutating func dropFragments() {
        guard let start = fragmentStart else { return }
        bytes.removeSubrange(start...)
        fragmentStart = nil
        isComplete = false
        counts.brokenUnits += 1
    }

    // MARK: - Payloads

    /// Returns false if the payload is malformed; then it has added nothing.
    private mutating func append(_ payload: RawSpan) -> Bool {
        guard let header = UnitHeader(payload), hasRoom(for: payload.byteCount) else { return false }
        if header.type == UnitHeader.fragment { return appendFragment(payload, header) }
        // Any other payload ends a fragmented NAL unit, whether complete or not.
        dropFragments()
        if header.type == UnitHeader.aggregate { return appendAggregate(payload) }
        guard header.isCarriable || header.mayBeStartCode else { return false }
        let count = units.count
        appendUnit(payload)
        return units.count > count
    }

    private func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= Self.maximumUnitBytes - bytes.count && units.count < Self.maximumNALUnits
    }

    private mutating func appendUnit(_ unit: RawSpan) {
        let start = bytes.count
        bytes.append(unit)
        completeUnits(from: start)
    }

    /// Adds the NAL unit in the bytes from `start` on. No NAL unit contains a start code (annex B of
    /// ITU-T H.264 and H.265). If there are start
    /// codes in these bytes, the bytes are several NAL units.
    private mutating func completeUnits(from start: Int) {
        guard H264.AnnexBSplitter.startCode(in: bytes, from: start).code != nil else {
            return completeUnit(from: start)
        }
        var splitter = H264.AnnexBSplitter()
        splitter.push([0, 0, 1] + bytes[start...])
        bytes.removeSubrange(start...)
        while let unit = splitter.next() ?? splitter.flush() {
            let start = bytes.count
            bytes += unit
            completeUnit(from: start)
        }
    }

    /// Adds the bytes from `start` as a NAL unit, or drops them if a packet cannot carry such a unit.
    private mutating func completeUnit(from start: Int) {
        guard UnitHeader(of: start..<bytes.count, in: bytes)?.isCarriable == true, units.count < Self.maximumNALUnits
        else {
            return bytes.removeSubrange(start...)
        }
        units.append(start..<bytes.count)
    }

    /// STAP-A (RFC 6184, section 5.7.1) and AP (RFC 7798, section 4.4.2). It is used only if all its lengths add up.
    private mutating func appendAggregate(_ payload: RawSpan) -> Bool {
        let (byteCount, unitCount) = (bytes.count, units.count)
        var reader = ByteReader(payload.extracting(droppingFirst: UnitHeader.byteCount))
        while reader.remaining > 0, !reader.isZeroPadding {
            guard let length = reader.uint16(), let unit = reader.take(Int(length)),
                let header = UnitHeader(unit), header.isCarriable || header.mayBeStartCode,
                units.count < Self.maximumNALUnits
            else {
                bytes.removeSubrange(byteCount...)
                units.removeSubrange(unitCount...)
                return false
            }
            appendUnit(unit)
        }
        return units.count > unitCount
    }

    /// FU-A (RFC 6184, section 5.8) and FU (RFC 7798, section 4.4.3). Start and end bit together are forbidden, but some devices
    /// send them. The meaning is clear.
    ///
    /// The type in the first fragment holds for all of a NAL unit.
    private mutating func appendFragment(_ payload: RawSpan, _ indicator: UnitHeader) -> Bool {
        guard payload.byteCount > UnitHeader.byteCount else { return false }
        let flags = payload.byte(at: UnitHeader.byteCount)
        let (isStart, isEnd) = (flags & 0x80 != 0, flags & 0x40 != 0)
        if isStart {
            let header = indicator.replacing(type: flags)
            guard header.isCarriable else { return false }
            dropFragments()
            fragmentStart = bytes.count
            bytes.append(header)
        }
        guard let start = fragmentStart else {
            // The start was lost and the loss has been recorded, so the rest is useless.
            isComplete = false
            return true
        }
        bytes.append(payload.extracting(droppingFirst: UnitHeader.byteCount + 1))
        if isEnd {
            fragmentStart = nil
            completeUnits(from: start)
        }
        return true
    }
}

extension ByteReader {
    /// Whether only zeros follow.
    fileprivate var isZeroPadding: Bool {
        var rest = self
        while let byte = rest.uint8() { guard byte == 0 else { return false } }
        return true
    }
}
