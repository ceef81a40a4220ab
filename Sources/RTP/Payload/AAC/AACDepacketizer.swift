import Media
import Wire

/// Converts RTP payloads to AAC access units (RFC 3640): several per packet or one over several packets, not interleaved.
///
/// Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none.
public struct AACDepacketizer: Sendable {
    /// The maximum size of a fragmented access unit: the limit of a 16-bit AU-size.
    static let maximumUnitBytes = 0xFFFF
    /// The most units of a packet. Senders put up to seven into one; taking thousands would delay other clients.
    static let maximumUnits = 256

    public private(set) var counts = DepacketizerCounts()

    private let layout: AUHeaderLayout
    private let samplesPerUnit: UInt32
    private var sequence = SequenceTracker()
    private var fragments: Fragments?
    private var finished: [ReceivedUnit] = []

    /// A fragmented access unit that is not complete yet.
    private struct Fragments {
        let timestamp: UInt32
        let byteCount: Int
        var bytes: [UInt8]
    }

    /// - Parameter samplesPerUnit: ticks between access units in one packet, at a clock of the sample rate; 960 for the short
    ///   frame length.
    public init(layout: AUHeaderLayout = .highBitRate, samplesPerUnit: Int = AAC.samplesPerAccessUnit) {
        self.layout = layout
        self.samplesPerUnit = UInt32(truncatingIfNeeded: samplesPerUnit)
    }

    /// Pushes one packet's payload, without padding.
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

    /// The oldest complete unit.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    private mutating func dropFragments() {
        guard fragments != nil else { return }
        fragments = nil
        counts.brokenUnits += 1
    }

    /// Returns false if the payload is malformed; then nothing of it is used.
    private mutating func append(_ payload: RawSpan, timestamp: UInt32) -> Bool {
        var reader = ByteReader(payload)
        guard let bitCount = reader.uint16(), let headers = reader.take((Int(bitCount) + 7) / 8),
            let sizes = sizes(in: headers, bitCount: Int(bitCount)), !sizes.isEmpty
        else { return false }
        let data = reader.takeRest()
        if sizes.count == 1, sizes[0] > data.byteCount {
            return appendFragment(data, of: sizes[0], timestamp: timestamp)
        }
        // Bytes left over are ignored, as in other receivers.
        dropFragments()
        guard sizes.reduce(0, +) <= data.byteCount else { return false }
        appendUnits(of: sizes, in: data, timestamp: timestamp)
        return true
    }

    /// The AU-sizes in the AU-header section; `nil` if a field is truncated, a unit is empty, or units are interleaved or too many.
    private func sizes(in headers: RawSpan, bitCount: Int) -> [Int]? {
        var reader = BitReader(headers)
        var sizes: [Int] = []
        while reader.bitOffset < bitCount {
            let indexLength = sizes.isEmpty ? layout.indexLength : layout.indexDeltaLength
            guard sizes.count < Self.maximumUnits, reader.bitOffset + layout.sizeLength + indexLength <= bitCount,
                let size = reader.bits(layout.sizeLength), size > 0,
                // An index of 0 and deltas of 0 mean: in order, not interleaved (RFC 3640, section 3.2.1.1).
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
            // Timestamps wrap.
            let offset = UInt32(truncatingIfNeeded: index) &* samplesPerUnit
            finish([UInt8](unit), timestamp: timestamp &+ offset)
        }
    }

    /// Each fragment has the size and the timestamp of the whole unit (RFC 3640, section 3.2.3.1).
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
        var bytes = bytes
        // Some cameras send an ADTS header before each unit. No unit begins with twelve ones: they would be an end without content.
        if let header = AAC.ADTSHeader(parsing: bytes), header.frameLength == bytes.count {
            bytes.removeFirst(header.byteCount)
        }
        finished.append(
            ReceivedUnit(rtpTimestamp: timestamp, bytes: bytes, units: [0..<bytes.count], isComplete: true))
    }
}
