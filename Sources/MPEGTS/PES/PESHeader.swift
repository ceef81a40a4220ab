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
