import Wire

/// How decoded frames are to be shown: the beginning of the video usability information, which H.264 and H.265 share (ITU-T H.264
/// and H.265, E.2.1).
public struct VideoSignal: Hashable, Sendable {
    /// The shape of a sample; `nil` if it is not specified.
    public let sampleAspect: SampleAspect?
    /// `nil` if it is not specified.
    public let colour: Colour?

    /// The width of a sample in relation to its height (sar_width, sar_height), both above 0.
    public struct SampleAspect: Hashable, Sendable {
        public let width: UInt16
        public let height: UInt16

        /// `nil` if one of them is 0, which stands for *unspecified*.
        public init?(width: UInt16, height: UInt16) {
            guard width > 0, height > 0 else { return nil }
            (self.width, self.height) = (width, height)
        }
    }

    /// Code points of ITU-T H.273; 2 for what is not specified.
    public struct Colour: Hashable, Sendable {
        public let primaries: UInt8
        public let transfer: UInt8
        public let matrix: UInt8
        /// Whether black and white are 0 and 255, not 16 and 235.
        public let isFullRange: Bool
    }

    /// Reads aspect ratio, overscan, signal type and chroma location; `nil` if they are truncated.
    @_lifetime(bits: copy bits)
    init?(reading bits: inout BitReader) {
        guard let hasAspect = bits.flag() else { return nil }
        var aspect: SampleAspect?
        if hasAspect {
            guard let index = bits.bits(8) else { return nil }
            if index == SampleAspect.explicitIndex {
                guard let width = bits.bits(16), let height = bits.bits(16) else { return nil }
                aspect = SampleAspect(width: UInt16(width), height: UInt16(height))
            } else {
                aspect = SampleAspect(index: index)
            }
        }
        guard let hasOverscan = bits.flag(), !hasOverscan || bits.skip(1), let hasSignalType = bits.flag() else {
            return nil
        }
        var colour: Colour?
        if hasSignalType {
            guard let read = Colour(reading: &bits) else { return nil }
            colour = read
        }
        guard let hasLocation = bits.flag(),
            !hasLocation || bits.unsignedExpGolomb() != nil && bits.unsignedExpGolomb() != nil
        else { return nil }
        (sampleAspect, self.colour) = (aspect, colour)
    }
}

extension VideoSignal.SampleAspect {
    /// The aspect_ratio_idc behind which width and height follow.
    fileprivate static let explicitIndex: UInt32 = 255

    /// Width and height of aspect_ratio_idc 1 to 16 (table E-1).
    private static let table: [(UInt16, UInt16)] = [
        (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11),
        (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]

    /// `nil` if it is unspecified or reserved.
    fileprivate init?(index: UInt32) {
        guard (1...16).contains(index) else { return nil }
        let (width, height) = Self.table[Int(index) - 1]
        self.init(width: width, height: height)
    }
}

extension VideoSignal.Colour {
    /// video_format, video_full_range_flag and the colour description, if there is one.
    @_lifetime(bits: copy bits)
    fileprivate init?(reading bits: inout BitReader) {
        guard bits.skip(3), let isFullRange = bits.flag(), let isDescribed = bits.flag() else { return nil }
        guard isDescribed else {
            self.init(primaries: 2, transfer: 2, matrix: 2, isFullRange: isFullRange)
            return
        }
        guard let primaries = bits.bits(8), let transfer = bits.bits(8), let matrix = bits.bits(8) else { return nil }
        self.init(
            primaries: UInt8(primaries), transfer: UInt8(transfer), matrix: UInt8(matrix), isFullRange: isFullRange)
    }
}
