import Media
import Wire

/// NAL units behind their lengths of four bytes (ISO/IEC 14496-15, 5.3.4.2), without those that samples do not have: delimiters, which
/// say nothing that the boxes do not say, filler data, which the format does not allow, and parameter sets unless they are in band.
public struct NALUnitFraming: Sendable {
    private let syntax: Syntax
    private let placement: ParameterSetPlacement
    /// The parameter sets of the track behind their lengths, for keyframes that lack them.
    private let parameterSets: [UInt8]

    private static let lengthByteCount = 4

    /// Frames units of H.264.
    public init(_ sets: H264.ParameterSets, _ placement: ParameterSetPlacement) {
        self.init(.h264, placement, sets.sequence + sets.picture)
    }

    /// Frames units of H.265.
    public init(_ sets: H265.ParameterSets, _ placement: ParameterSetPlacement) {
        self.init(.h265, placement, sets.all)
    }

    private init(_ syntax: Syntax, _ placement: ParameterSetPlacement, _ sets: [[UInt8]]) {
        self.syntax = syntax
        self.placement = placement
        var writer = ByteWriter()
        for set in sets {
            writer.uint32(UInt32(truncatingIfNeeded: set.count))
            writer.append(set)
        }
        parameterSets = writer.bytes
    }

    /// The types that matter here, as the first byte of a NAL unit names them.
    private enum Syntax {
        case h264
        case h265

        enum Kind {
            case parameterSet
            case left
            case other
        }

        func kind(ofFirstByte byte: UInt8) -> Kind {
            switch self {
            case .h264:
                switch H264.NALUnitHeader(byte: byte).type {
                case .sequenceParameterSet, .pictureParameterSet: .parameterSet
                case .accessUnitDelimiter, .filler: .left
                default: .other
                }
            case .h265:
                switch H265.NALUnitType(firstByte: byte) {
                case .videoParameterSet, .sequenceParameterSet, .pictureParameterSet: .parameterSet
                case .accessUnitDelimiter, .fillerData: .left
                default: .other
                }
            }
        }
    }

    /// Bytes of the sample; 0 if nothing of the unit remains.
    public func byteCount(of unit: AccessUnit) -> Int {
        var byteCount = 0
        for range in unit.units where isKept(range, of: unit) { byteCount += Self.lengthByteCount + range.count }
        return byteCount > 0 && lacksParameterSets(unit) ? parameterSets.count + byteCount : byteCount
    }

    /// Appends the sample.
    @_lifetime(output: copy output)
    public func write(_ unit: AccessUnit, to output: inout OutputRawSpan) {
        if lacksParameterSets(unit) { output.append(parameterSets.rawSpan) }
        for range in unit.units where isKept(range, of: unit) {
            // A NAL unit is part of an array, which never reaches 4 GB.
            output.append(uint32: UInt32(truncatingIfNeeded: range.count))
            output.append(unit.bytes.rawSpan.extracting(range))
        }
    }

    private func isKept(_ range: Range<Int>, of unit: AccessUnit) -> Bool {
        switch syntax.kind(ofFirstByte: unit.bytes[range.lowerBound]) {
        case .parameterSet: placement == .inBand
        case .left: false
        case .other: true
        }
    }

    private func lacksParameterSets(_ unit: AccessUnit) -> Bool {
        guard placement == .inBand, unit.isKeyframe else { return false }
        return !unit.units.contains { syntax.kind(ofFirstByte: unit.bytes[$0.lowerBound]) == .parameterSet }
    }
}
