/// H.265 / HEVC (ITU-T Rec. H.265, ISO/IEC 23008-2).
public enum H265 {}

extension H265 {
    /// The type of a NAL unit: nal_unit_type (ITU-T H.265, table 7-1).
    public struct NALUnitType: RawRepresentable, Hashable, Sendable {
        /// 0…63.
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) {
            self.rawValue = rawValue & 0x3F
        }

        /// From the first byte of a NAL unit, which contains all of the type.
        @inlinable
        public init(firstByte: UInt8) {
            rawValue = firstByte >> 1 & 0x3F
        }

        public static let videoParameterSet = Self(rawValue: 32)
        public static let sequenceParameterSet = Self(rawValue: 33)
        public static let pictureParameterSet = Self(rawValue: 34)
        public static let accessUnitDelimiter = Self(rawValue: 35)
        public static let fillerData = Self(rawValue: 38)
        public static let prefixSupplementalEnhancement = Self(rawValue: 39)

        /// Whether it contains picture data (types 0 to 31).
        @inlinable
        public var isVideoCodingLayer: Bool { rawValue < 32 }

        /// Whether decoding can start at its picture (IRAP): BLA 16 to 18, IDR 19 and 20, CRA 21.
        @inlinable
        public var isRandomAccessPoint: Bool { (16...21).contains(rawValue) }

        /// IDR_W_RADL and IDR_N_LP. Their slices contain no picture order count.
        var isIDR: Bool { rawValue == 19 || rawValue == 20 }

        /// Whether the picture may be left out without effect on others of its temporal sub-layer: even types below 16.
        var isSubLayerNonReference: Bool { rawValue < 16 && rawValue & 1 == 0 }

        /// RADL and RASL pictures, which precede their random access point in output order (types 6 to 9).
        var isLeading: Bool { (6...9).contains(rawValue) }

        public var isParameterSet: Bool { (32...34).contains(rawValue) }
    }

    /// The first two bytes of every NAL unit (ITU-T H.265, 7.3.1.2).
    ///
    /// ```
    /// | F, 1 bit | nal_unit_type, 6 | nuh_layer_id, 6 | nuh_temporal_id_plus1, 3 |
    /// ```
    public struct NALUnitHeader: Hashable, Sendable {
        public static let byteCount = 2

        public let type: NALUnitType
        /// nuh_layer_id: 0 for the base layer, which is all that other than multi-layer decoders decode.
        public let layer: UInt8
        /// 0…6.
        public let temporalID: UInt8

        /// `nil` if the unit is shorter than its header, or if the temporal id has the forbidden value.
        public init?(of unit: [UInt8]) {
            guard unit.count >= Self.byteCount, unit[1] & 7 > 0 else { return nil }
            type = NALUnitType(firstByte: unit[0])
            layer = unit[0] << 5 & 0x20 | unit[1] >> 3
            temporalID = unit[1] & 7 - 1
        }
    }
}
