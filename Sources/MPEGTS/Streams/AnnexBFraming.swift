import Media
import Wire

/// H.264 or H.265 as a byte stream (annex B of both; ISO/IEC 13818-1, 2.14.1 and 2.17.1), with a delimiter before every access
/// unit and parameter sets before every keyframe.
struct AnnexBFraming: Framing {
    /// The track's parameter sets, each behind a start code.
    private let parameterSets: [UInt8]

    private let syntax: Syntax

    init(_ sets: H264.ParameterSets) {
        parameterSets = (sets.sequence + sets.picture).flatMap { Self.startCode + $0 }
        syntax = .h264
    }

    init(_ sets: H265.ParameterSets) {
        parameterSets = sets.all.flatMap { Self.startCode + $0 }
        syntax = .h265
    }

    /// How the first byte of a NAL unit names the types that matter here.
    private struct Syntax {
        /// The bits of the type.
        let typeMask: UInt8
        let delimiterType: UInt8
        let sequenceParameterSetType: UInt8
        /// An access unit delimiter for slices of any type, behind a start code.
        let delimiter: [UInt8]

        /// primary_pic_type 7 (ITU-T H.264, 7.4.2.4).
        static let h264 = Syntax(
            typeMask: 0x1F, delimiterType: 9, sequenceParameterSetType: 7, delimiter: startCode + [0x09, 0xF0])
        /// pic_type 2 (ITU-T H.265, 7.4.3.5).
        static let h265 = Syntax(
            typeMask: 0x7E, delimiterType: 35 << 1, sequenceParameterSetType: 33 << 1,
            delimiter: startCode + [0x46, 0x01, 0x50])
    }

    /// With the zero byte that is required before parameter sets and the first NAL unit, and allowed before others (B.1.2).
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    func byteCount(of unit: AccessUnit) -> Int? {
        let head =
            (lacksDelimiter(unit) ? syntax.delimiter.count : 0) + (lacksParameterSets(unit) ? parameterSets.count : 0)
        return unit.units.reduce(head) { $0 + Self.startCode.count + $1.count }
    }

    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        var rest = unit.units[...]
        if lacksDelimiter(unit) {
            writer.append(syntax.delimiter.rawSpan, to: &output)
        } else if unit.part.isStart, let delimiter = rest.popFirst() {
            write(delimiter, of: unit, through: &writer, to: &output)
        }
        if lacksParameterSets(unit) { writer.append(parameterSets.rawSpan, to: &output) }
        for range in rest { write(range, of: unit, through: &writer, to: &output) }
    }

    @_lifetime(output: copy output)
    private func write(
        _ range: Range<Int>, of unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan
    ) {
        writer.append(Self.startCode.rawSpan, to: &output)
        writer.append(unit.bytes.rawSpan.extracting(range), to: &output)
    }

    private func lacksDelimiter(_ unit: AccessUnit) -> Bool {
        unit.part.isStart && !unit.units.prefix(1).contains { type(of: $0, in: unit) == syntax.delimiterType }
    }

    private func lacksParameterSets(_ unit: AccessUnit) -> Bool {
        unit.part.isStart && unit.isKeyframe
            && !unit.units.contains { type(of: $0, in: unit) == syntax.sequenceParameterSetType }
    }

    /// The masked first byte of a NAL unit.
    private func type(of range: Range<Int>, in unit: AccessUnit) -> UInt8 {
        unit.bytes[range.lowerBound] & syntax.typeMask
    }
}
