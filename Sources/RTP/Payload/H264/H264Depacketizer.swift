import Wire

/// RTP payloads into H.264 access units, packetization-mode 0 and 1 (RFC 6184, section 7.1).
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none. A unit
/// ends with the marker or where the timestamp changes. After a loss, a fragmented NAL unit is dropped up to the next
/// start; what arrived whole is handed on, in a unit that is not complete.
public struct H264Depacketizer: Sendable {
    /// Bytes of an access unit at most, so that a sender without markers cannot fill memory: twenty times a 4K IDR.
    public static let maximumUnitBytes = 8 << 20
    /// NAL units in an access unit at most: 16 times what 8K encoders use.
    static let maximumNALUnits = 4096

    public private(set) var counts = DepacketizerCounts()

    private var sequence = SequenceTracker()
    private var bytes: [UInt8] = []
    private var units: [Range<Int>] = []
    private var timestamp: UInt32?
    private var isComplete = true
    /// Where the NAL unit begins whose fragments are arriving.
    private var fragmentStart: Int?
    private var finished: [ReceivedUnit] = []

    public init() {
    }

    /// Takes one packet's payload, without padding.
    public mutating func push(_ payload: RawSpan, header: Header) {
        switch sequence.step(to: header.sequenceNumber) {
        case .late:
            counts.latePackets += 1
            return
        case .gap(let missing):
            counts.lostPackets += missing
            recordLoss()
            begin(header.timestamp)
            // The missing packets may have been this unit's first.
            isComplete = false
        case .next:
            begin(header.timestamp)
        }
        if !append(payload) {
            counts.malformedPackets += 1
            recordLoss()
        }
        if header.isMarked { finish() }
    }

    /// The next unit that is at its end, oldest first.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Ends the unit in hand: for the end of a stream whose last marker is missing.
    public mutating func flush() {
        finish()
    }

    // MARK: - Units

    private mutating func begin(_ timestamp: UInt32) {
        if let open = self.timestamp, open != timestamp { finish() }
        self.timestamp = timestamp
    }

    private mutating func finish() {
        dropFragments()
        if let timestamp, !units.isEmpty {
            finished.append(
                ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: units, isComplete: isComplete))
        }
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

    /// False if the payload is malformed; then it has added nothing.
    private mutating func append(_ payload: RawSpan) -> Bool {
        guard payload.byteCount > 0, hasRoom(for: payload.byteCount) else { return false }
        let header = NALUnitOctet(payload.byte(at: 0))
        if header.type == NALUnitOctet.fragment { return appendFragment(payload, header) }
        // Anything but a fragment ends a fragmented NAL unit, complete or not.
        dropFragments()
        if header.type == NALUnitOctet.aggregate { return appendAggregate(payload) }
        guard header.isCarriable else { return false }
        appendUnit(payload)
        return true
    }

    private func hasRoom(for byteCount: Int) -> Bool {
        byteCount <= Self.maximumUnitBytes - bytes.count && units.count < Self.maximumNALUnits
    }

    private mutating func appendUnit(_ unit: RawSpan) {
        let start = bytes.count
        bytes.append(unit)
        units.append(start..<bytes.count)
    }

    /// STAP-A (RFC 6184, section 5.7.1): used only if all its lengths add up.
    private mutating func appendAggregate(_ payload: RawSpan) -> Bool {
        let (byteCount, unitCount) = (bytes.count, units.count)
        var reader = ByteReader(payload.extracting(droppingFirst: 1))
        while reader.remaining > 0 {
            guard let length = reader.uint16(), length > 0, let unit = reader.take(Int(length)),
                NALUnitOctet(unit.byte(at: 0)).isCarriable, units.count < Self.maximumNALUnits
            else {
                bytes.removeSubrange(byteCount...)
                units.removeSubrange(unitCount...)
                return false
            }
            appendUnit(unit)
        }
        return units.count > unitCount
    }

    /// FU-A (RFC 6184, section 5.8). A start that is also an end is forbidden, but devices send it, and it is clear.
    private mutating func appendFragment(_ payload: RawSpan, _ indicator: NALUnitOctet) -> Bool {
        guard payload.byteCount > 2 else { return false }
        let flags = payload.byte(at: 1)
        let (isStart, isEnd) = (flags & 0x80 != 0, flags & 0x40 != 0)
        let header = NALUnitOctet(type: flags, like: indicator)
        guard header.isCarriable else { return false }
        if isStart {
            dropFragments()
            fragmentStart = bytes.count
            bytes.append(header.octet)
        }
        guard let start = fragmentStart else {
            // The start was lost, which the gap has told already: the rest is of no use.
            isComplete = false
            return true
        }
        guard bytes[start] & 0x1F == header.type else { return false }
        bytes.append(payload.extracting(droppingFirst: 2))
        if isEnd {
            units.append(start..<bytes.count)
            fragmentStart = nil
        }
        return true
    }
}
