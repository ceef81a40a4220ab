import Wire

extension H265 {
    /// The fields of a picture parameter set that slice headers depend on (ITU-T H.265, 7.3.2.3).
    public struct PictureParameterSet: Hashable, Sendable {
        /// pps_pic_parameter_set_id, 0…63.
        public let id: Int
        /// The id of the sequence parameter set that it refers to, 0…15.
        public let sequenceID: Int
        /// output_flag_present_flag.
        let hasOutputFlag: Bool
        /// num_extra_slice_header_bits, 0…7.
        let extraSliceHeaderBits: Int

        /// Parses a whole NAL unit; `nil` if its type is not 34, if it is of another layer, or if it is truncated or has values
        /// outside the specified ranges.
        public init?(parsing unit: [UInt8]) {
            guard let header = NALUnitHeader(of: unit), header.type == .pictureParameterSet, header.layer == 0
            else { return nil }
            let payload = RawByteSequence(of: unit, limit: 32)
            var bits = BitReader(payload.bytes.rawSpan)
            guard let id = bits.unsignedExpGolomb(), id < 64, let sequenceID = bits.unsignedExpGolomb(),
                sequenceID < 16,
                // dependent_slice_segments_enabled_flag.
                bits.skip(1), let hasOutputFlag = bits.flag(), let extraBits = bits.bits(3)
            else { return nil }
            self.id = Int(id)
            self.sequenceID = Int(sequenceID)
            self.hasOutputFlag = hasOutputFlag
            extraSliceHeaderBits = Int(extraBits)
        }
    }

    /// The id of a video parameter set, 0…15 (ITU-T H.265, 7.3.2.1).
    struct VideoParameterSet: Hashable, Sendable {
        let id: Int

        /// `nil` if the type is not 32, or if it is of another layer or truncated.
        init?(parsing unit: [UInt8]) {
            guard let header = NALUnitHeader(of: unit), header.type == .videoParameterSet, header.layer == 0,
                unit.count >= 4
            else { return nil }
            id = Int(unit[2] >> 4)
        }
    }
}
