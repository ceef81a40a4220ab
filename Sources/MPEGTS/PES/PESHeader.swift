import Wire

/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
///
/// ```
/// +----------+-----------+--------+--------------------+-------------+--------+-----------+-----------+
/// | 00 00 01 | stream_id | length | 10, data_alignment | PTS and DTS | header | PTS       | DTS       |
/// |          | 8 bits    | 16     | …                  | there?      | length | 40, if any| 40, if any|
/// +----------+-----------+--------+--------------------+-------------+--------+-----------+-----------+
/// ```
struct PESHeader: Hashable, Sendable {
    /// The PTS and DTS of the access unit that begins in the packet; `nil` if none begins.
    struct Times: Hashable, Sendable {
        let presentation: ProgramTime
        let decode: ProgramTime
    }

    let streamID: UInt8
    let times: Times?

    var byteCount: Int { 9 + optionalByteCount }

    private var optionalByteCount: Int {
        guard let times else { return 0 }
        return times.presentation == times.decode ? 5 : 10
    }

    /// - Parameter bodyByteCount: bytes behind the header; together they must not exceed 65 541 bytes.
    @_lifetime(output: copy output)
    func write(bodyByteCount: Int, to output: inout OutputRawSpan) {
        output.append(word: UInt16(0))
        output.append(0x01)
        output.append(streamID)
        output.append(word: UInt16(3 + optionalByteCount + bodyByteCount))
        output.append(times == nil ? 0x80 : 0x84)
        guard let times else {
            output.append(word: UInt16(0))
            return
        }
        let hasDecodeTime = times.presentation != times.decode
        output.append(hasDecodeTime ? 0xC0 : 0x80)
        output.append(UInt8(optionalByteCount))
        write(times.presentation, mark: hasDecodeTime ? 0x30 : 0x20, to: &output)
        if hasDecodeTime { write(times.decode, mark: 0x10, to: &output) }
    }

    /// Four bits that distinguish PTS and DTS, then 3, 15 and 15 bits, each followed by a marker bit.
    @_lifetime(output: copy output)
    private func write(_ time: ProgramTime, mark: UInt8, to output: inout OutputRawSpan) {
        let field = time.field
        output.append(mark | UInt8(truncatingIfNeeded: field >> 29) & 0x0E | 1)
        output.append(word: UInt16(truncatingIfNeeded: field >> 14) | 1)
        output.append(word: UInt16(truncatingIfNeeded: field << 1) | 1)
    }
}

extension PESHeader {
    /// Bytes from the start of a PES packet to the end of its header, as the first nine bytes say. They are fewer for packets of
    /// padding and of private data without times, which are not read.
    static let (minimumByteCount, maximumByteCount) = (9, 9 + 0xFF)

    /// A header that was received.
    struct Received: Hashable, Sendable {
        let header: PESHeader
        let isScrambled: Bool
        /// Bytes of the packet behind the header; `nil` if the packet ends where the next one begins.
        let bodyByteCount: Int?
    }

    /// The length of the header that begins with these nine bytes; `nil` if it is none, or that of a packet that is not read.
    static func byteCount(of start: some Collection<UInt8>) -> Int? {
        let bytes = Array(start.prefix(minimumByteCount))
        guard bytes.count == minimumByteCount, bytes.starts(with: [0, 0, 1]), bytes[6] & 0xC0 == 0x80 else {
            return nil
        }
        return minimumByteCount + Int(bytes[8])
    }

    /// Reads a whole header; `nil` if its fields contradict each other.
    static func parse(_ bytes: [UInt8]) -> Received? {
        guard byteCount(of: bytes) == bytes.count else { return nil }
        let length = Int(bytes[4]) << 8 | Int(bytes[5])
        // A packet with a length has at least its header.
        guard length == 0 || length + 6 >= bytes.count else { return nil }
        return Received(
            header: PESHeader(streamID: bytes[3], times: times(in: bytes)), isScrambled: bytes[6] & 0x30 != 0,
            bodyByteCount: length == 0 ? nil : length + 6 - bytes.count)
    }

    private static func times(in bytes: [UInt8]) -> Times? {
        switch bytes[7] >> 6 {
        case 2 where bytes.count >= 14:
            let presentation = time(bytes[9..<14])
            return Times(presentation: presentation, decode: presentation)
        case 3 where bytes.count >= 19: return Times(presentation: time(bytes[9..<14]), decode: time(bytes[14..<19]))
        default: return nil
        }
    }

    /// The 33 bits of a time. Some senders write other marker bits.
    private static func time(_ bytes: ArraySlice<UInt8>) -> ProgramTime {
        let value = bytes.reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return ProgramTime(ticks: value >> 3 & 0x1_C000_0000 | value >> 2 & 0x3FFF_8000 | value >> 1 & 0x7FFF)
    }
}
