import Wire

extension H265 {
    /// The content of the `hvcC` box: parameter sets, and the length size of NAL units (ISO/IEC 14496-15, 8.3.3.1).
    public struct DecoderConfigurationRecord: Hashable, Sendable {
        /// `nil` if the sets are only in the stream (`hev1`).
        public let parameterSets: ParameterSets?
        /// Bytes of each length field: 1, 2 or 4.
        public let lengthSize: Int

        /// `nil` unless `bytes` is a complete version 1 record.
        public init?(parsing bytes: [UInt8]) {
            var reader = ByteReader(bytes.rawSpan)
            guard reader.uint8() == 1, reader.skip(20), let framing = reader.uint8(), framing & 3 != 2,
                let arrayCount = reader.uint8()
            else { return nil }
            var units: [NALUnitType: [[UInt8]]] = [:]
            for _ in 0..<arrayCount {
                guard let type = reader.uint8(), let count = reader.uint16() else { return nil }
                for _ in 0..<count {
                    guard let length = reader.uint16(), let unit = reader.take(Int(length)) else { return nil }
                    units[NALUnitType(rawValue: type), default: []].append([UInt8](unit))
                }
            }
            parameterSets = ParameterSets(
                video: units[.videoParameterSet] ?? [], sequence: units[.sequenceParameterSet] ?? [],
                picture: units[.pictureParameterSet] ?? [])
            lengthSize = Int(framing & 3) + 1
        }
    }
}

extension H265.ParameterSets {
    /// The content of an `hvcC` box with these sets, for length fields of four bytes; `nil` if a number or length does not fit its
    /// field of 16 bits.
    ///
    /// - Parameter areComplete: whether the stream has no other sets, as `hvc1` requires.
    public func decoderConfigurationRecord(areComplete: Bool) -> [UInt8]? {
        guard let set = H265.SequenceParameterSet(parsing: sequence[0]),
            all.allSatisfy({ $0.count <= 0xFFFF }), all.count <= 0xFFFF
        else { return nil }
        var writer = ByteWriter(capacity: 32 + all.reduce(0) { $0 + 2 + $1.count })
        writer.uint8(1)
        writer.uint8(profile.space << 6 | (profile.isHighTier ? 0x20 : 0) | profile.profile)
        writer.uint32(profile.compatibility)
        writer.uint16(UInt16(truncatingIfNeeded: profile.constraints >> 32))
        writer.uint32(UInt32(truncatingIfNeeded: profile.constraints))
        writer.uint8(profile.level)
        // Reserved bits are ones. Spatial segmentation and parallelism are unknown: 0.
        writer.uint16(0xF000)
        writer.uint8(0xFC)
        // Bounded by the parser: 3, 16, 16 and 8.
        writer.uint8(0xFC | UInt8(set.chromaFormat))
        writer.uint8(0xF8 | UInt8(set.bitDepth - 8))
        writer.uint8(0xF8 | UInt8(set.chromaBitDepth - 8))
        // The frame rate is unspecified; lengthSizeMinusOne is 3.
        writer.uint16(0)
        writer.uint8(UInt8(min(set.subLayerCount, 7)) << 3 | (set.isTemporallyNested ? 4 : 0) | 3)
        let kinds: [(H265.NALUnitType, [[UInt8]])] = [
            (.videoParameterSet, video), (.sequenceParameterSet, sequence), (.pictureParameterSet, picture),
        ]
        writer.uint8(UInt8(kinds.count))
        for (type, units) in kinds {
            writer.uint8((areComplete ? 0x80 : 0) | type.rawValue)
            writer.uint16(UInt16(units.count))
            for unit in units { writer.appendCounted(unit) }
        }
        return writer.bytes
    }
}
