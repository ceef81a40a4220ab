import Media
import Wire

/// Reads the NAL units of frames behind their lengths (ISO/IEC 14496-15, 5.3.4.2), and adds the parameter sets that keyframes lack, because
/// FLV has them in the decoder configuration.
struct PictureFraming: Sendable {
    /// The most NAL units of a frame: 16 times what 8K encoders use.
    static let maximumUnitCount = 4_096
    /// The most bytes of parameter sets, and of a configuration: many times what encoders send.
    static let maximumSetByteCount = 65_536

    /// The format with the parameter sets of the configuration, or of the last keyframe if it has others in band.
    private(set) var format: Track.Format
    private let lengthByteCount: Int
    /// The parameter sets of the configuration.
    private let configured: any ParameterSetTracking
    private var parameterSets: any ParameterSetTracking
    /// The format with parameter sets that came in band since the last keyframe; `nil` if there are none.
    private var changedFormat: Track.Format?

    /// What a payload has.
    enum Content {
        case picture(Picture)
        /// No slice: some encoders send parameter sets or SEI alone.
        case noPicture
        /// A length is wrong, or there are too many NAL units.
        case malformed
    }

    struct Picture {
        let bytes: [UInt8]
        let units: [Range<Int>]
        let isKeyframe: Bool
    }

    /// - Parameter configuration: the content of an `avcC` box; `nil` if it is malformed or too long.
    init?(h264 configuration: [UInt8]) {
        guard configuration.count <= Self.maximumSetByteCount,
            let record = H264.DecoderConfigurationRecord(parsing: configuration)
        else { return nil }
        format = .h264(record.parameterSets)
        lengthByteCount = record.lengthSize
        configured = H264.ParameterSetTracker(record.parameterSets)
        parameterSets = configured
    }

    /// - Parameter configuration: the content of an `hvcC` box; `nil` if it is malformed or too long, or has no parameter
    ///   sets.
    init?(h265 configuration: [UInt8]) {
        guard configuration.count <= Self.maximumSetByteCount,
            let record = H265.DecoderConfigurationRecord(parsing: configuration), let sets = record.parameterSets
        else { return nil }
        format = .h265(sets)
        lengthByteCount = record.lengthSize
        configured = H265.ParameterSetTracker(sets)
        parameterSets = configured
    }

    /// Reads a frame, and keeps parameter sets that are in it.
    mutating func read(_ payload: [UInt8], _ data: Range<Int>) -> Content {
        guard let (bytes, units) = nalUnits(payload, data) else { return .malformed }
        observe(bytes, units)
        guard units.contains(where: { isSlice(bytes[$0.lowerBound]) }) else { return .noPicture }
        guard units.contains(where: { isRandomAccessPoint(bytes, $0) }) else {
            return .picture(Picture(bytes: bytes, units: units, isKeyframe: false))
        }
        // New parameter sets take effect with a keyframe; until then the frames carry them in band.
        format = changedFormat.take() ?? format
        return .picture(keyframe(bytes, units))
    }

    /// A keyframe, with the parameter sets that it lacks.
    private func keyframe(_ bytes: [UInt8], _ units: [Range<Int>]) -> Picture {
        let own = units.map { Array(bytes[$0]) }
        let completed = parameterSets.completed(own)
        guard completed.count > own.count else { return Picture(bytes: bytes, units: units, isKeyframe: true) }
        var (joined, ranges) = ([UInt8](), [Range<Int>]())
        joined.reserveCapacity(completed.reduce(0) { $0 + $1.count })
        for unit in completed {
            ranges.append(joined.count..<(joined.count + unit.count))
            joined += unit
        }
        return Picture(bytes: joined, units: ranges, isKeyframe: true)
    }

    /// The NAL units, back to back; `nil` if a length is wrong, or if there are too many.
    private func nalUnits(_ payload: [UInt8], _ data: Range<Int>) -> ([UInt8], [Range<Int>])? {
        var reader = ByteReader(payload.rawSpan.extracting(data))
        var (bytes, units) = ([UInt8](), [Range<Int>]())
        bytes.reserveCapacity(data.count)
        while reader.remaining > 0 {
            guard let length = length(&reader), let unit = reader.take(length) else { return nil }
            if length == 0 { continue }
            guard units.count < Self.maximumUnitCount else { return nil }
            units.append(bytes.count..<(bytes.count + length))
            bytes.append(unit)
        }
        return (bytes, units)
    }

    private func length(_ reader: inout ByteReader) -> Int? {
        switch lengthByteCount {
        case 1: reader.uint8().map(Int.init)
        case 2: reader.uint16().map(Int.init)
        default: reader.uint32().map(Int.init)
        }
    }

    /// Keeps parameter sets that are in band.
    private mutating func observe(_ bytes: [UInt8], _ units: [Range<Int>]) {
        let tracking = type(of: parameterSets)
        for unit in units where tracking.isParameterSet(firstByte: bytes[unit.lowerBound]) {
            guard parameterSets.observe(Array(bytes[unit])) else { continue }
            // No encoder sends so many parameter sets, and each keyframe would carry all of them.
            if parameterSets.byteCount > Self.maximumSetByteCount { parameterSets = configured }
            changedFormat = parameterSets.format
        }
    }

    private func isSlice(_ firstByte: UInt8) -> Bool {
        if case .h264 = format { return H264.NALUnitHeader(byte: firstByte).type.isVideoCodingLayer }
        return H265.NALUnitType(firstByte: firstByte).isVideoCodingLayer
    }

    /// Whether decoding can start at a picture with this NAL unit. SEI with a recovery point counts, too, because encoders with intra
    /// refresh send no other keyframes.
    private func isRandomAccessPoint(_ bytes: [UInt8], _ unit: Range<Int>) -> Bool {
        let first = bytes[unit.lowerBound]
        if case .h264 = format {
            let type = H264.NALUnitHeader(byte: first).type
            return type == .idrSlice || type == .supplementalEnhancement && hasRecoveryPoint(bytes[unit], 1)
        }
        let type = H265.NALUnitType(firstByte: first)
        return type.isRandomAccessPoint
            || type == .prefixSupplementalEnhancement && hasRecoveryPoint(bytes[unit], H265.NALUnitHeader.byteCount)
    }

    private func hasRecoveryPoint(_ unit: ArraySlice<UInt8>, _ headerByteCount: Int) -> Bool {
        H264.SupplementalEnhancement.isPresent(.recoveryPoint, in: Array(unit), headerByteCount: headerByteCount)
    }
}
