import Wire

/// Converts RTP payloads to H.264 access units, packetization-mode 0 and 1 (RFC 6184, section 7.1).
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none. A unit ends with
/// the marker bit or where the timestamp changes. After a loss, the affected fragmented NAL unit is dropped. NAL units that
/// arrived whole are returned in a unit that is marked as incomplete.
public struct H264Depacketizer: Sendable {
    /// The maximum size of an access unit, so that a sender without marker bits cannot exhaust memory: twenty times a 4K IDR.
    public static let maximumUnitBytes = 8 << 20
    /// The maximum number of NAL units in an access unit: 16 times what 8K encoders use.
    static let maximumNALUnits = 4096

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
        switch sequence.step(to: header.sequenceNumber) {
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
        if header.isMarked { finish() }
    }

    /// The oldest complete unit.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    /// Ends the current unit, at the end of a stream whose last marker bit is missing.
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

    /// Returns false if the payload is malformed; then it has added nothing.
    private mutating func append(_ payload: RawSpan) -> Bool {
        guard payload.byteCount > 0, hasRoom(for: payload.byteCount) else { return false }
        let header = NALUnitOctet(payload.byte(at: 0))
        if header.type == NALUnitOctet.fragment { return appendFragment(payload, header) }
        // Any other payload ends a fragmented NAL unit, whether complete or not.
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

    /// STAP-A (RFC 6184, section 5.7.1). It is used only if all its lengths add up.
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

    /// FU-A (RFC 6184, section 5.8). Start and end bit together are forbidden, but some devices send them. The meaning is clear.
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
            // The start was lost and the loss has been recorded, so the rest is useless.
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
