import Wire

extension H265 {
    /// The fields of a sequence parameter set that a streaming server needs (ITU-T H.265, 7.3.2.2).
    public struct SequenceParameterSet: Hashable, Sendable {
        /// sps_seq_parameter_set_id, 0…15.
        public let id: Int
        /// sps_video_parameter_set_id, 0…15.
        public let videoID: Int
        /// sps_max_sub_layers_minus1 plus 1: 1…8.
        public let subLayerCount: Int
        /// sps_temporal_id_nesting_flag.
        public let isTemporallyNested: Bool
        public let profile: ProfileTierLevel
        /// Pixels shown, after cropping.
        public let width: Int
        /// Pixels shown, after cropping.
        public let height: Int
        /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
        public let chromaFormat: Int
        /// Bits of each luma sample.
        public let bitDepth: Int
        /// Bits of each chroma sample.
        public let chromaBitDepth: Int
        /// sps_max_num_reorder_pics of the highest sub-layer: how many pictures may precede one in decoding order and follow it
        /// in output order.
        public let reorderedPictures: Int
        /// How frames are to be shown; `nil` if the stream does not specify it.
        public let signal: VideoSignal?

        let hasSeparateColourPlanes: Bool
        /// Bits of slice_pic_order_cnt_lsb, 4…16.
        let orderBits: Int

        /// Parses a whole NAL unit; `nil` if its type is not 33, if it is of another layer, or if it is truncated or has values
        /// outside the specified ranges.
        public init?(parsing unit: [UInt8]) {
            guard let header = NALUnitHeader(of: unit), header.type == .sequenceParameterSet, header.layer == 0
            else { return nil }
            let payload = RawByteSequence(of: unit)
            var bits = BitReader(payload.bytes.rawSpan)
            guard let videoID = bits.bits(4), let subLayers = bits.bits(3), let isNested = bits.flag(),
                let profile = ProfileTierLevel(reading: &bits, subLayerCount: subLayers),
                let id = bits.unsignedExpGolomb(), id < 16, let size = PictureSize(reading: &bits),
                let luma = bits.unsignedExpGolomb(), luma <= 8, let chroma = bits.unsignedExpGolomb(), chroma <= 8,
                let orderBits = bits.unsignedExpGolomb(), orderBits <= 12,
                let reordered = Self.reorderedPictures(&bits, subLayerCount: subLayers)
            else { return nil }
            self.id = Int(id)
            self.videoID = Int(videoID)
            subLayerCount = Int(subLayers) + 1
            isTemporallyNested = isNested
            self.profile = profile
            (width, height) = (size.width, size.height)
            chromaFormat = Int(size.chromaFormat)
            hasSeparateColourPlanes = size.hasSeparatePlanes
            (bitDepth, chromaBitDepth) = (8 + Int(luma), 8 + Int(chroma))
            self.orderBits = Int(orderBits) + 4
            reorderedPictures = reordered
            signal = Self.skipToUsability(&bits, orderBits: self.orderBits) ? VideoSignal(reading: &bits) : nil
        }

        /// sps_max_num_reorder_pics of the last sub-layer, which holds for all of the stream.
        @_lifetime(bits: copy bits)
        private static func reorderedPictures(_ bits: inout BitReader, subLayerCount: UInt32) -> Int? {
            guard let describesAll = bits.flag() else { return nil }
            var reordered: UInt32 = 0
            for _ in 0...(describesAll ? subLayerCount : 0) {
                guard bits.unsignedExpGolomb() != nil, let count = bits.unsignedExpGolomb(), count <= 16,
                    bits.unsignedExpGolomb() != nil
                else { return nil }
                reordered = count
            }
            return Int(reordered)
        }
    }
}

extension H265.SequenceParameterSet {
    /// The frame size, with the chroma format, on which the units of cropping depend.
    struct PictureSize {
        let chromaFormat: UInt32
        let hasSeparatePlanes: Bool
        let width: Int
        let height: Int

        /// Twice the side of level 6.2's longest frames, so that products fit.
        private static let maximumSide: UInt32 = 32_768

        @_lifetime(bits: copy bits)
        init?(reading bits: inout BitReader) {
            guard let chroma = bits.unsignedExpGolomb(), chroma <= 3 else { return nil }
            var hasSeparatePlanes = false
            if chroma == 3 {
                guard let flag = bits.flag() else { return nil }
                hasSeparatePlanes = flag
            }
            guard let width = bits.unsignedExpGolomb(), (1...Self.maximumSide).contains(width),
                let height = bits.unsignedExpGolomb(), (1...Self.maximumSide).contains(height),
                let isCropped = bits.flag()
            else { return nil }
            chromaFormat = chroma
            self.hasSeparatePlanes = hasSeparatePlanes
            var margins: (across: UInt64, down: UInt64) = (0, 0)
            if isCropped {
                guard let left = bits.unsignedExpGolomb(), let right = bits.unsignedExpGolomb(),
                    let top = bits.unsignedExpGolomb(), let bottom = bits.unsignedExpGolomb()
                else { return nil }
                // SubWidthC and SubHeightC (table 6-1); sums of 32-bit numbers fit 64 bits.
                margins.across = (UInt64(left) + UInt64(right)) * (chroma == 1 || chroma == 2 ? 2 : 1)
                margins.down = (UInt64(top) + UInt64(bottom)) * (chroma == 1 ? 2 : 1)
            }
            guard margins.across < UInt64(width), margins.down < UInt64(height) else { return nil }
            self.width = Int(width) - Int(margins.across)
            self.height = Int(height) - Int(margins.down)
        }
    }
}

/// H.265 escapes bytes as H.264 does (ITU-T H.265, 7.4.2), behind a header of two bytes.
extension H265 {
    struct RawByteSequence {
        let bytes: [UInt8]

        init(of unit: [UInt8], limit: Int = .max) {
            bytes = H264.RawByteSequence(of: unit, headerByteCount: NALUnitHeader.byteCount, limit: limit).bytes
        }
    }
}
