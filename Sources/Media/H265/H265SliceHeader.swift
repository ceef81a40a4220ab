import Wire

extension H265 {
    /// The start of the first slice segment of a picture, up to its picture order count (ITU-T H.265, 7.3.6.1).
    public struct SliceHeader: Hashable, Sendable {
        public let type: NALUnitType
        public let temporalID: UInt8
        /// The sequence parameter set of the picture.
        public let sequence: SequenceParameterSet
        /// slice_pic_order_cnt_lsb; 0 in IDR pictures.
        public let orderLowBits: Int

        /// The bytes of the NAL unit that are read: a few Exp-Golomb codes.
        private static let inspectedBytes = 48

        /// Parses a slice segment NAL unit with the known parameter sets; `nil` if it is not the first of its picture, or
        /// truncated, or if its parameter sets are unknown.
        public init?(parsing unit: [UInt8], with sets: ParameterSetTracker) {
            guard let header = NALUnitHeader(of: unit), header.type.isVideoCodingLayer, header.layer == 0 else {
                return nil
            }
            let payload = RawByteSequence(of: unit, limit: Self.inspectedBytes)
            var bits = BitReader(payload.bytes.rawSpan)
            guard bits.flag() == true else { return nil }
            // no_output_of_prior_pics_flag.
            if (16...23).contains(header.type.rawValue) { guard bits.skip(1) else { return nil } }
            guard let id = bits.unsignedExpGolomb(), id < 64, let pictureSet = sets.pictureSet(Int(id)),
                let sequence = sets.sequenceSet(pictureSet.sequenceID), bits.skip(pictureSet.extraSliceHeaderBits),
                bits.unsignedExpGolomb() != nil, bits.skip(pictureSet.hasOutputFlag ? 1 : 0),
                bits.skip(sequence.hasSeparateColourPlanes ? 2 : 0)
            else { return nil }
            var order = 0
            if !header.type.isIDR {
                guard let lowBits = bits.bits(sequence.orderBits) else { return nil }
                order = Int(lowBits)
            }
            (type, temporalID) = (header.type, header.temporalID)
            self.sequence = sequence
            orderLowBits = order
        }
    }
}
