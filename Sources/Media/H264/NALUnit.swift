/// H.264 / MPEG-4 AVC (ITU-T Rec. H.264, ISO/IEC 14496-10).
public enum H264 {}

extension H264 {
    /// The type of a NAL unit: nal_unit_type (ITU-T H.264, table 7-1).
    public struct NALUnitType: RawRepresentable, Hashable, Sendable {
        /// 0…31.
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) {
            self.rawValue = rawValue & 0x1F
        }

        public static let slice = Self(rawValue: 1)
        public static let partitionA = Self(rawValue: 2)
        public static let partitionC = Self(rawValue: 4)
        public static let idrSlice = Self(rawValue: 5)
        public static let supplementalEnhancement = Self(rawValue: 6)
        public static let sequenceParameterSet = Self(rawValue: 7)
        public static let pictureParameterSet = Self(rawValue: 8)
        public static let accessUnitDelimiter = Self(rawValue: 9)
        public static let endOfSequence = Self(rawValue: 10)
        public static let endOfStream = Self(rawValue: 11)
        public static let filler = Self(rawValue: 12)
        /// Precedes each slice of the base layer in SVC and MVC streams (Annexes G and H).
        public static let prefix = Self(rawValue: 14)

        /// Whether it contains picture data (types 1 to 5).
        @inlinable
        public var isVideoCodingLayer: Bool { (1...5).contains(rawValue) }

        /// Whether it begins a slice, so that a slice header follows: types 1, 2 and 5.
        @inlinable
        public var hasSliceHeader: Bool { self == .slice || self == .partitionA || self == .idrSlice }
    }

    /// The first byte of every NAL unit (ITU-T H.264, 7.3.1).
    public struct NALUnitHeader: Hashable, Sendable {
        /// nal_ref_idc, 0…3: 0 if no other picture refers to this one.
        public let referenceIDC: UInt8
        public let type: NALUnitType

        @inlinable
        public init(byte: UInt8) {
            referenceIDC = byte >> 5 & 3
            type = NALUnitType(rawValue: byte)
        }

        /// `nil` for an empty NAL unit.
        @inlinable
        public init?(of unit: [UInt8]) {
            guard let first = unit.first else { return nil }
            self.init(byte: first)
        }
    }
}
