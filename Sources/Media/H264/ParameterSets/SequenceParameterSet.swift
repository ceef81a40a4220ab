import Wire

extension H264 {
    /// The fields of a sequence parameter set that a streaming server needs (ITU-T H.264, 7.3.2.1.1).
    public struct SequenceParameterSet: Hashable, Sendable {
        /// seq_parameter_set_id, 0…31.
        public let id: Int
        /// profile_idc: 66 Baseline, 77 Main, 88 Extended, 100 High.
        public let profile: UInt8
        /// The constraint_set flags, most significant first.
        public let constraints: UInt8
        /// level_idc: ten times the level, 41 is level 4.1.
        public let level: UInt8
        /// Pixels shown, after cropping.
        public let width: Int
        /// Pixels shown, after cropping.
        public let height: Int
        /// Whether all pictures are frames, without field pictures and field macroblocks.
        public let isFrameOnly: Bool
        /// max_num_ref_frames.
        public let referenceFrames: Int
        /// Timing and reordering; `nil` if the stream does not specify them.
        public let usability: VideoUsability?

        /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
        public let chromaFormat: Int
        /// Bits of each luma sample.
        public let bitDepth: Int
        /// Bits of each chroma sample.
        public let chromaBitDepth: Int

        let hasSeparateColourPlanes: Bool
        let frameNumberBits: Int
        let pictureOrder: PictureOrderCoding

        /// How slices give the output order of their picture (8.2.1).
        enum PictureOrderCoding: Hashable, Sendable {
            /// Type 0: the low bits of the count are in every slice.
            case explicit(bits: Int)
            /// Type 1: the count follows a cycle, and slices may carry differences to it.
            case cyclic(differencesAlwaysZero: Bool)
            /// Type 2: output order is decoding order.
            case decodingOrder
        }

        /// Parses a whole NAL unit; `nil` if its type is not 7, or if it is truncated or has values outside the specified ranges.
        public init?(parsing unit: [UInt8]) {
            guard NALUnitHeader(of: unit)?.type == .sequenceParameterSet else { return nil }
            let payload = RawByteSequence(of: unit)
            var bits = BitReader(payload.bytes.rawSpan)
            guard let profile = bits.bits(8), let constraints = bits.bits(8), let level = bits.bits(8),
                let id = bits.unsignedExpGolomb(), id < 32
            else { return nil }
            guard let chroma = ChromaFormat(reading: &bits, profile: profile),
                let frameNumber = bits.unsignedExpGolomb(), frameNumber <= 12,
                let order = PictureOrderCoding(reading: &bits),
                let references = bits.unsignedExpGolomb(), references <= 16,
                bits.flag() != nil, let size = PictureSize(reading: &bits, chroma: chroma)
            else { return nil }
            self.id = Int(id)
            self.profile = UInt8(truncatingIfNeeded: profile)
            self.constraints = UInt8(truncatingIfNeeded: constraints)
            self.level = UInt8(truncatingIfNeeded: level)
            (width, height, isFrameOnly) = (size.width, size.height, size.isFrameOnly)
            referenceFrames = Int(references)
            chromaFormat = Int(chroma.identifier)
            (bitDepth, chromaBitDepth) = (chroma.bitDepth, chroma.chromaBitDepth)
            hasSeparateColourPlanes = chroma.hasSeparatePlanes
            frameNumberBits = Int(frameNumber) + 4
            pictureOrder = order
            usability = bits.flag() == true ? VideoUsability(reading: &bits) : nil
        }
    }
}

extension H264.SequenceParameterSet {
    /// chroma_format_idc and what follows it in the high profiles.
    struct ChromaFormat {
        var identifier: UInt32 = 1
        var hasSeparatePlanes = false
        /// Of luma.
        var bitDepth = 8
        var chromaBitDepth = 8

        @_lifetime(bits: copy bits)
        init?(reading bits: inout BitReader, profile: UInt32) {
            guard [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) else { return }
            guard let identifier = bits.unsignedExpGolomb(), identifier <= 3 else { return nil }
            self.identifier = identifier
            if identifier == 3 {
                guard let separate = bits.flag() else { return nil }
                hasSeparatePlanes = separate
            }
            guard let luma = bits.unsignedExpGolomb(), luma <= 6, let chroma = bits.unsignedExpGolomb(), chroma <= 6,
                bits.flag() != nil, let hasMatrices = bits.flag()
            else { return nil }
            (bitDepth, chromaBitDepth) = (8 + Int(luma), 8 + Int(chroma))
            guard hasMatrices else { return }
            for index in 0..<(identifier == 3 ? 12 : 8) {
                guard let isPresent = bits.flag() else { return nil }
                if isPresent, !Self.skipScalingList(&bits, count: index < 6 ? 16 : 64) { return nil }
            }
        }

        /// 7.3.2.1.1.1.
        @_lifetime(bits: copy bits)
        private static func skipScalingList(_ bits: inout BitReader, count: Int) -> Bool {
            var last: Int32 = 8
            var next: Int32 = 8
            for _ in 0..<count {
                if next != 0 {
                    guard let delta = bits.signedExpGolomb() else { return false }
                    next = (last &+ delta) & 0xFF
                }
                last = next == 0 ? last : next
            }
            return true
        }
    }

    /// From pic_width_in_mbs_minus1 to the cropping rectangle.
    struct PictureSize {
        var width: Int
        var height: Int
        var isFrameOnly: Bool

        @_lifetime(bits: copy bits)
        init?(reading bits: inout BitReader, chroma: ChromaFormat) {
            // 2¹⁵ macroblocks a side are far beyond level 6.2; the bound keeps the products small.
            guard let across = bits.unsignedExpGolomb(), across < 1 << 15,
                let down = bits.unsignedExpGolomb(), down < 1 << 15, let isFrameOnly = bits.flag()
            else { return nil }
            if !isFrameOnly { guard bits.flag() != nil else { return nil } }
            guard bits.flag() != nil, let isCropped = bits.flag() else { return nil }
            let rows = isFrameOnly ? 1 : 2
            width = (Int(across) + 1) * 16
            height = (Int(down) + 1) * 16 * rows
            self.isFrameOnly = isFrameOnly
            guard isCropped else { return }
            let isSubsampledAcross = !chroma.hasSeparatePlanes && (chroma.identifier == 1 || chroma.identifier == 2)
            let isSubsampledDown = !chroma.hasSeparatePlanes && chroma.identifier == 1
            guard let left = bits.unsignedExpGolomb(), let right = bits.unsignedExpGolomb(),
                let top = bits.unsignedExpGolomb(), let bottom = bits.unsignedExpGolomb()
            else { return nil }
            // Four 32-bit values and small factors: far from the end of 64 bits.
            width -= (Int(left) + Int(right)) * (isSubsampledAcross ? 2 : 1)
            height -= (Int(top) + Int(bottom)) * (isSubsampledDown ? 2 : 1) * rows
            guard width > 0, height > 0 else { return nil }
        }
    }
}

extension H264.SequenceParameterSet.PictureOrderCoding {
    @_lifetime(bits: copy bits)
    init?(reading bits: inout BitReader) {
        switch bits.unsignedExpGolomb() {
        case 0:
            guard let length = bits.unsignedExpGolomb(), length <= 12 else { return nil }
            self = .explicit(bits: Int(length) + 4)
        case 1:
            guard let alwaysZero = bits.flag(), bits.signedExpGolomb() != nil, bits.signedExpGolomb() != nil,
                let cycle = bits.unsignedExpGolomb(), cycle <= 255
            else { return nil }
            for _ in 0..<cycle { guard bits.signedExpGolomb() != nil else { return nil } }
            self = .cyclic(differencesAlwaysZero: alwaysZero)
        case 2: self = .decodingOrder
        default: return nil
        }
    }
}
