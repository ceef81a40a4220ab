import Media
import Wire

/// Converts RTP payloads in LATM to AAC access units (RFC 6416, section 6), if the configuration is not in the packets (`cpresent=0`).
///
/// A packet has one or more whole AudioMuxElements, or several packets with the same timestamp have one, of which the last is
/// marked. Push packets in the order of their sequence numbers (`ReorderBuffer`), then take units until there are none.
public struct LATMDepacketizer: Sendable {
    /// The maximum size of an element over several packets: many times that of six channels at the highest bitrate.
    static let maximumElementBytes = 0xFFFF
    /// The most units of a packet or element. Senders put up to seven into one; taking thousands would delay other clients.
    static let maximumUnits = 256

    public private(set) var counts = DepacketizerCounts()

    private let unitsPerElement: Int
    private let samplesPerUnit: UInt32
    private var sequence = SequenceTracker()
    /// The beginning of an element that is not complete.
    private var open: (timestamp: UInt32, bytes: [UInt8])?
    private var finished: [ReceivedUnit] = []

    public init(_ configuration: AAC.StreamMuxConfig, samplesPerUnit: Int = AAC.samplesPerAccessUnit) {
        unitsPerElement = configuration.unitsPerElement
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
            dropOpen()
        case .next: break
        }
        if let open, open.timestamp != header.timestamp { dropOpen() }
        if header.isMarked, open == nil { return append(payload, timestamp: header.timestamp) }
        var element = open?.bytes ?? []
        guard element.count + payload.byteCount <= Self.maximumElementBytes else {
            counts.malformedPackets += 1
            return dropOpen()
        }
        element.append(payload)
        open = (header.timestamp, element)
        guard header.isMarked else { return }
        open = nil
        append(element.span.bytes, timestamp: header.timestamp)
    }

    /// The oldest complete unit.
    public mutating func next() -> ReceivedUnit? {
        finished.isEmpty ? nil : finished.removeFirst()
    }

    private mutating func dropOpen() {
        guard open != nil else { return }
        open = nil
        counts.brokenUnits += 1
    }

    /// Appends the units of whole elements. If they are malformed, nothing of them is used.
    private mutating func append(_ elements: RawSpan, timestamp: UInt32) {
        var reader = ByteReader(elements)
        var units: [[UInt8]] = []
        repeat {
            for _ in 0..<unitsPerElement {
                guard units.count < Self.maximumUnits, let length = Self.payloadLength(&reader), length > 0,
                    let unit = reader.take(length)
                else {
                    counts.malformedPackets += 1
                    return
                }
                units.append([UInt8](unit))
            }
        } while reader.remaining > 0
        for (index, unit) in units.enumerated() {
            let offset = UInt32(truncatingIfNeeded: index) &* samplesPerUnit
            finished.append(
                ReceivedUnit(rtpTimestamp: timestamp &+ offset, bytes: unit, units: [0..<unit.count], isComplete: true))
        }
    }

    /// PayloadLengthInfo: bytes of 255, and a smaller one at the end, to be added.
    private static func payloadLength(_ reader: inout ByteReader) -> Int? {
        var length = 0
        while let byte = reader.uint8() {
            length += Int(byte)
            if byte != 0xFF { return length }
        }
        return nil
    }
}
