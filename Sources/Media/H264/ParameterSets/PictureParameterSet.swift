import Wire

extension H264 {
    /// The fields of a picture parameter set that slice headers depend on (ITU-T H.264, 7.3.2.2).
    public struct PictureParameterSet: Hashable, Sendable {
        /// pic_parameter_set_id, 0…255.
        public let id: Int
        /// The id of the sequence parameter set that it refers to, 0…31.
        public let sequenceID: Int
        /// bottom_field_pic_order_in_frame_present_flag.
        let hasBottomFieldOrder: Bool
        /// redundant_pic_cnt_present_flag.
        let hasRedundantPictures: Bool

        /// Parses a whole NAL unit; `nil` if its type is not 8, or if it is truncated or has values outside the specified ranges.
        public init?(parsing unit: [UInt8]) {
            guard NALUnitHeader(of: unit)?.type == .pictureParameterSet else { return nil }
            let payload = RawByteSequence(of: unit)
            var bits = BitReader(payload.bytes.rawSpan)
            guard let id = bits.unsignedExpGolomb(), id < 256, let sequenceID = bits.unsignedExpGolomb(),
                sequenceID < 32, bits.skip(1), let hasOrder = bits.flag(), Self.skipSliceGroups(&bits)
            else { return nil }
            // num_ref_idx twice, weighted prediction (3 bits), the three quantiser offsets, deblocking and intra flags.
            guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil, bits.skip(3),
                bits.signedExpGolomb() != nil, bits.signedExpGolomb() != nil, bits.signedExpGolomb() != nil,
                bits.skip(2), let hasRedundant = bits.flag()
            else { return nil }
            self.id = Int(id)
            self.sequenceID = Int(sequenceID)
            hasBottomFieldOrder = hasOrder
            hasRedundantPictures = hasRedundant
        }

        @_lifetime(bits: copy bits)
        private static func skipSliceGroups(_ bits: inout BitReader) -> Bool {
            guard let groups = bits.unsignedExpGolomb(), groups <= 7 else { return false }
            guard groups > 0 else { return true }
            switch bits.unsignedExpGolomb() {
            case 0: return skipCodes(groups + 1, &bits)
            case 1: return true
            case 2: return skipCodes(groups * 2, &bits)
            case 3, 4, 5: return bits.skip(1) && bits.unsignedExpGolomb() != nil
            case 6: return skipMap(groups: groups, &bits)
            default: return false
            }
        }

        @_lifetime(bits: copy bits)
        private static func skipCodes(_ count: UInt32, _ bits: inout BitReader) -> Bool {
            for _ in 0..<count { guard bits.unsignedExpGolomb() != nil else { return false } }
            return true
        }

        /// One slice group number per map unit, with the minimum number of bits.
        @_lifetime(bits: copy bits)
        private static func skipMap(groups: UInt32, _ bits: inout BitReader) -> Bool {
            guard let units = bits.unsignedExpGolomb() else { return false }
            return bits.skip((Int(units) + 1) * (groups > 3 ? 3 : groups > 1 ? 2 : 1))
        }
    }
}
