import Media
import Wire

/// RTP payloads into AAC access units (RFC 3640): several per packet or one over several packets, not interleaved.
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none.
public struct AACDepacketizer: Sendable {
    /// Bytes of a fragmented access unit at most: what a 16-bit AU-size can say.
    static let maximumUnitBytes = 0xFFFF

    public private(set) var counts = DepacketizerCounts()

    private let layout: AUHeaderLayout
    private let samplesPerUnit: UInt32
    private var sequence = SequenceTracker()
    private var fragments: Fragments?
    private var finished: [ReceivedUnit] = []

    /// An access unit of which not all has arrived.
    private struct Fragments {
        let timestamp: UInt32
        let byteCount: Int
        var bytes: [UInt8]
    }

    /// - Parameter samplesPerUnit: ticks from one access unit to the next in the same packet, at a clock of the
    ///   sample rate; 960 for the short frame length.
    public init(layout: AUHeaderLayout = .highBitRate, samplesPerUnit: Int = AAC.samplesPerAccessUnit) {
        self.layout = layout
        self.samplesPerUnit = UInt32(truncatingIfNeeded: samplesPerUnit)
    }

    /// Takes one packet's payload, without padding.
    public mutating func push(_ payload: RawSpan, header: Header) {
        switch sequence.step(to: header.sequenceNumber) {
        case .late:
            counts.latePackets += 1
            return
        case .gap(let missing):
            counts.lostPackets += missing
            dropFragments()
        case .next:
            break
        }
        if !append(payload, timestamp: header.timestamp) {
            counts.malformedPackets += 1
            dropFragments()
        }
    }

    /// The next unit that is at its end, oldest first.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    private mutating func dropFragments() {
        guard fragments != nil else { return }
        fragments = nil
        counts.brokenUnits += 1
    }

    /// False if the payload is malformed; then nothing of it is used.
    private mutating func append(_ payload: RawSpan, timestamp: UInt32) -> Bool {
        var reader = ByteReader(payload)
        guard let bitCount = reader.uint16(), let headers = reader.take((Int(bitCount) + 7) / 8),
            let sizes = sizes(in: headers, bitCount: Int(bitCount)), !sizes.isEmpty
        else { return false }
        let data = reader.takeRest()
        if sizes.count == 1, sizes[0] > data.byteCount {
            return appendFragment(data, of: sizes[0], timestamp: timestamp)
        }
        // Bytes left over are passed by, as other receivers do.
        dropFragments()
        guard sizes.reduce(0, +) <= data.byteCount else { return false }
        appendUnits(of: sizes, in: data, timestamp: timestamp)
        return true
    }

    /// AU-sizes in the AU-header section; `nil` if a field is cut short, a unit is empty or units are interleaved.
    private func sizes(in headers: RawSpan, bitCount: Int) -> [Int]? {
        var reader = BitReader(headers)
        var sizes: [Int] = []
        while reader.bitOffset < bitCount {
            let indexLength = sizes.isEmpty ? layout.indexLength : layout.indexDeltaLength
            guard reader.bitOffset + layout.sizeLength + indexLength <= bitCount,
                let size = reader.bits(layout.sizeLength), size > 0,
                // Index and deltas of 0 say: in order, nothing between (RFC 3640, section 3.2.1.1).
                let index = reader.bits(indexLength), index == 0
            else { return nil }
            sizes.append(Int(size))
        }
        return sizes
    }

    private mutating func appendUnits(of sizes: [Int], in data: RawSpan, timestamp: UInt32) {
        var reader = ByteReader(data)
        for (index, size) in sizes.enumerated() {
            guard let unit = reader.take(size) else { return }
            // At most 2¹⁶ units in a packet; timestamps wrap.
            let offset = UInt32(truncatingIfNeeded: index) &* samplesPerUnit
            finish([UInt8](unit), timestamp: timestamp &+ offset)
        }
    }

    /// A fragment repeats the whole unit's size and timestamp (RFC 3640, section 3.2.3.1).
    private mutating func appendFragment(_ data: RawSpan, of byteCount: Int, timestamp: UInt32) -> Bool {
        guard data.byteCount > 0, byteCount <= Self.maximumUnitBytes else { return false }
        if let open = fragments, open.timestamp != timestamp || open.byteCount != byteCount { dropFragments() }
        var unit = fragments ?? Fragments(timestamp: timestamp, byteCount: byteCount, bytes: [])
        guard data.byteCount <= byteCount - unit.bytes.count else { return false }
        unit.bytes.append(data)
        if unit.bytes.count == byteCount {
            finish(unit.bytes, timestamp: timestamp)
            fragments = nil
        } else {
            fragments = unit
        }
        return true
    }

    private mutating func finish(_ bytes: [UInt8], timestamp: UInt32) {
        finished.append(
            ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: [0..<bytes.count], isComplete: true))
    }
}
