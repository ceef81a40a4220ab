import Wire

/// Transport-wide feedback: which packets have arrived, and when (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1).
///
/// ```
/// |      base sequence number     |      packet status count      |
/// |                 reference time                | feedback count |
/// |         packet chunk          |  packet chunk … │ deltas …    |
/// ```
public struct TransportFeedback: Hashable, Sendable {
    /// The number of the first packet.
    public var base: SequenceNumber
    /// When each packet arrived, from the first on, in nanoseconds on the receiver's clock; `nil` for packets that did not arrive.
    public var arrivals: [Int64?]
    /// Counts the messages, so that a lost one is noticed.
    public var count: UInt8

    public init(base: SequenceNumber, arrivals: [Int64?], count: UInt8) {
        (self.base, self.arrivals, self.count) = (base, arrivals, count)
    }

    /// The largest number of packets in one message that is read. GStreamer sends a message per frame, which has up to some hundred.
    private static let maximumCount = 1_024
    /// The units of the reference time and of deltas, in nanoseconds.
    private static let referenceUnit: Int64 = 64_000_000
    private static let deltaUnit: Int64 = 250_000

    /// What a chunk says about a packet.
    private enum Symbol {
        case missing
        /// With a delta of one byte.
        case small
        /// With a delta of two bytes, which may be negative.
        case large

        /// `nil` for the reserved value.
        init?(_ bits: UInt16) {
            switch bits {
            case 0: self = .missing
            case 1: self = .small
            case 2: self = .large
            default: return nil
            }
        }
    }

    @_lifetime(reader: copy reader)
    init?(_ reader: inout ByteReader) {
        guard let base = reader.uint16(), let statusCount = reader.uint16().map(Int.init), let word = reader.uint32(),
            statusCount > 0, statusCount <= Self.maximumCount,
            let symbols = Self.symbols(statusCount, from: &reader)
        else { return nil }
        // The reference time has 24 bits with a sign.
        var time = Int64(Int32(bitPattern: word) >> 8) * Self.referenceUnit
        var arrivals: [Int64?] = []
        arrivals.reserveCapacity(statusCount)
        for symbol in symbols {
            switch symbol {
            case .missing:
                arrivals.append(nil)
                continue
            case .small:
                guard let delta = reader.uint8() else { return nil }
                time += Int64(delta) * Self.deltaUnit
            case .large:
                guard let delta = reader.uint16() else { return nil }
                time += Int64(Int16(bitPattern: delta)) * Self.deltaUnit
            }
            arrivals.append(time)
        }
        self.init(base: SequenceNumber(base), arrivals: arrivals, count: UInt8(truncatingIfNeeded: word))
    }

    /// Reads chunks until they cover all packets (sections 3.1.3 and 3.1.4).
    @_lifetime(reader: copy reader)
    private static func symbols(_ count: Int, from reader: inout ByteReader) -> [Symbol]? {
        var symbols: [Symbol] = []
        symbols.reserveCapacity(count)
        while symbols.count < count {
            guard let chunk = reader.uint16() else { return nil }
            let rest = count - symbols.count
            if chunk & 0x8000 == 0 {
                guard let symbol = Symbol(chunk >> 13 & 3) else { return nil }
                let length = Int(chunk & 0x1FFF)
                guard length > 0 else { return nil }
                symbols += Array(repeating: symbol, count: min(length, rest))
                continue
            }
            let width: UInt16 = chunk & 0x4000 == 0 ? 1 : 2
            for index in 0..<min(rest, width == 1 ? 14 : 7) {
                let shift = 14 - width * UInt16(index + 1)
                guard let symbol = Symbol(chunk >> shift & (width == 1 ? 1 : 3)) else { return nil }
                symbols.append(symbol)
            }
        }
        return symbols
    }

    /// Writes the message with vectors of two-bit symbols. Arrivals are rounded to 250 µs, and must follow each other within 8 s.
    func write(to writer: inout ByteWriter) {
        let arrivals = arrivals.prefix(Self.maximumCount)
        let units = arrivals.map { $0.map { Int($0 / Self.deltaUnit) } }
        let first = units.lazy.compactMap(\.self).first ?? 0
        // The first delta must not be negative in a small one, so the reference is rounded down.
        let perReference = Int(Self.referenceUnit / Self.deltaUnit)
        let reference = first >= 0 ? first / perReference : (first - perReference + 1) / perReference
        writer.uint16(base.rawValue)
        writer.uint16(UInt16(arrivals.count))
        writer.uint32(UInt32(truncatingIfNeeded: reference) << 8 | UInt32(count))
        var previous = reference * perReference
        var deltas: [Int?] = []
        for unit in units {
            deltas.append(unit.map { $0 - previous })
            previous = unit ?? previous
        }
        for start in stride(from: 0, to: deltas.count, by: 7) {
            var chunk: UInt16 = 0xC000
            for (index, delta) in deltas[start..<min(start + 7, deltas.count)].enumerated() {
                guard let delta else { continue }
                chunk |= ((0...255).contains(delta) ? 1 : 2) << UInt16(12 - 2 * index)
            }
            writer.uint16(chunk)
        }
        for case let delta? in deltas {
            if (0...255).contains(delta) {
                writer.uint8(UInt8(delta))
            } else {
                writer.uint16(UInt16(bitPattern: Int16(clamping: delta)))
            }
        }
        while writer.bytes.count % 4 != 0 { writer.uint8(0) }
    }
}
