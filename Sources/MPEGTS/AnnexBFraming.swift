import Media
import Wire

/// H.264 as a byte stream (ITU-T H.264, annex B; ISO/IEC 13818-1, 2.14.1), with a delimiter before every access unit and
/// parameter sets before every keyframe.
struct AnnexBFraming: Framing {
    /// The track's parameter sets, each behind a start code.
    private let parameterSets: [UInt8]

    init(_ sets: H264.ParameterSets) {
        parameterSets = (sets.sequence + sets.picture).flatMap { Self.startCode + $0 }
    }

    /// With the zero byte that is required before parameter sets and the first NAL unit, and allowed before others (B.1.2).
    private static let startCode: [UInt8] = [0, 0, 0, 1]
    /// An access unit delimiter for slices of any type: primary_pic_type 7 (7.4.2.4).
    private static let delimiter: [UInt8] = startCode + [0x09, 0xF0]

    func byteCount(of unit: AccessUnit) -> Int? {
        let head =
            (lacksDelimiter(unit) ? Self.delimiter.count : 0) + (lacksParameterSets(unit) ? parameterSets.count : 0)
        return unit.units.reduce(head) { $0 + Self.startCode.count + $1.count }
    }

    @_lifetime(output: copy output)
    func write(_ unit: AccessUnit, through writer: inout PESWriter, to output: inout OutputRawSpan) {
        var rest = unit.units[...]
        if lacksDelimiter(unit) {
            writer.append(Self.delimiter.rawSpan, to: &output)
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
        unit.part.isStart && !unit.units.prefix(1).contains { unit.type(of: $0) == .accessUnitDelimiter }
    }

    private func lacksParameterSets(_ unit: AccessUnit) -> Bool {
        unit.part.isStart && unit.isKeyframe
            && !unit.units.contains { unit.type(of: $0) == .sequenceParameterSet }
    }
}

extension AccessUnit {
    fileprivate func type(of unit: Range<Int>) -> H264.NALUnitType {
        H264.NALUnitHeader(byte: bytes[unit.lowerBound]).type
    }
}
