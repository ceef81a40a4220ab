import Wire

extension H264 {
    /// The start of a slice header (ITU-T H.264, 7.3.3): the fields that separate pictures and give their order.
    public struct SliceHeader: Hashable, Sendable {
        /// first_mb_in_slice.
        public let firstMacroblock: UInt32
        /// Whether the slice is bidirectionally predicted (slice_type 1 or 6).
        public let isBidirectional: Bool
        public let pictureSetID: Int
        public let unit: NALUnitHeader
        /// The other fields; `nil` if the parameter sets are not known yet or the header is damaged.
        public let picture: Picture?

        /// The fields that are equal in all slices of one picture and differ in the next picture (7.4.1.2.4).
        public struct Picture: Hashable, Sendable {
            public let sequenceID: Int
            public let frameNumber: UInt32
            /// `nil` for a frame.
            public let field: Field?
            /// idr_pic_id; `nil` if it is not an IDR picture.
            public let idrID: UInt32?
            /// pic_order_cnt_lsb; 0 unless the count is coded explicitly.
            public let orderLowBits: UInt32
            public let orderDifferences: [Int32]
            /// redundant_pic_cnt: above 0 the slice repeats a part of the primary picture.
            public let redundantCount: UInt32
        }

        public enum Field: Hashable, Sendable {
            case top
            case bottom
        }

        /// The bytes of the NAL unit that are read: the fields here take at most 8 Exp-Golomb codes of 63 bits.
        private static let inspectedBytes = 96

        /// Parses a NAL unit of type 1, 2 or 5 with the known parameter sets; `nil` for another type or a truncated unit.
        public init?(parsing unit: [UInt8], with sets: ParameterSetTracker) {
            guard let header = NALUnitHeader(of: unit), header.type.hasSliceHeader else { return nil }
            let payload = RawByteSequence(of: unit, limit: Self.inspectedBytes)
            var bits = BitReader(payload.bytes.rawSpan)
            guard let first = bits.unsignedExpGolomb(), let type = bits.unsignedExpGolomb(), type < 10,
                let id = bits.unsignedExpGolomb(), id < 256
            else { return nil }
            firstMacroblock = first
            isBidirectional = type % 5 == 1
            pictureSetID = Int(id)
            self.unit = header
            guard let pictureSet = sets.pictureSet(Int(id)), let sequence = sets.sequenceSet(pictureSet.sequenceID)
            else {
                picture = nil
                return
            }
            picture = Picture(reading: &bits, header: header, sequence: sequence, pictureSet: pictureSet)
        }

        /// Whether this slice begins another primary picture than `previous`, the last primary slice (7.4.1.2.4).
        public func beginsPicture(after previous: SliceHeader) -> Bool {
            guard let picture, let other = previous.picture else { return firstMacroblock == 0 }
            guard picture.redundantCount == 0 else { return false }
            return picture.sequenceID != other.sequenceID || picture.frameNumber != other.frameNumber
                || pictureSetID != previous.pictureSetID || picture.field != other.field
                || (unit.referenceIDC == 0) != (previous.unit.referenceIDC == 0)
                || picture.idrID != other.idrID || picture.orderLowBits != other.orderLowBits
                || picture.orderDifferences != other.orderDifferences
        }
    }
}

extension H264.SliceHeader.Picture {
    @_lifetime(bits: copy bits)
    init?(
        reading bits: inout BitReader, header: H264.NALUnitHeader, sequence: H264.SequenceParameterSet,
        pictureSet: H264.PictureParameterSet
    ) {
        if sequence.hasSeparateColourPlanes { guard bits.skip(2) else { return nil } }
        guard let number = bits.bits(sequence.frameNumberBits) else { return nil }
        sequenceID = sequence.id
        frameNumber = number
        var field: H264.SliceHeader.Field?
        if !sequence.isFrameOnly {
            guard let isField = bits.flag() else { return nil }
            if isField {
                guard let isBottom = bits.flag() else { return nil }
                field = isBottom ? .bottom : .top
            }
        }
        self.field = field
        var idr: UInt32?
        if header.type == .idrSlice {
            guard let value = bits.unsignedExpGolomb() else { return nil }
            idr = value
        }
        idrID = idr
        guard
            let order = Self.readOrder(
                &bits, sequence.pictureOrder, hasSecond: pictureSet.hasBottomFieldOrder && field == nil)
        else { return nil }
        (orderLowBits, orderDifferences) = order
        var redundant: UInt32 = 0
        if pictureSet.hasRedundantPictures {
            guard let count = bits.unsignedExpGolomb() else { return nil }
            redundant = count
        }
        redundantCount = redundant
    }

    @_lifetime(bits: copy bits)
    private static func readOrder(
        _ bits: inout BitReader, _ coding: H264.SequenceParameterSet.PictureOrderCoding, hasSecond: Bool
    ) -> (UInt32, [Int32])? {
        switch coding {
        case .decodingOrder, .cyclic(differencesAlwaysZero: true):
            return (0, [])
        case .explicit(let length):
            guard let lowBits = bits.bits(length) else { return nil }
            guard hasSecond else { return (lowBits, []) }
            return bits.signedExpGolomb().map { (lowBits, [$0]) }
        case .cyclic:
            guard let first = bits.signedExpGolomb() else { return nil }
            guard hasSecond else { return (0, [first]) }
            return bits.signedExpGolomb().map { (0, [first, $0]) }
        }
    }
}
