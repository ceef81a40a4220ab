import Media

/// The NAL unit header, with which every payload also begins (RFC 7798, sections 1.1.4 and 4.2).
///
/// ```
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |F|   Type    |  LayerId  | TID |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct H265PayloadHeader: NALUnitPayloadHeader {
    public static let byteCount = 2
    /// Aggregation packets (AP).
    public static let aggregate: UInt8 = 48
    /// Fragmentation units (FU).
    public static let fragment: UInt8 = 49

    public let first: UInt8
    public let second: UInt8

    public init(first: UInt8, second: UInt8) {
        (self.first, self.second) = (first, second)
    }

    /// 48 and above have a meaning of their own in RTP.
    public var type: UInt8 { first >> 1 & 0x3F }
    /// nal_unit_type of a NAL unit that a packet carries.
    private var unitType: H265.NALUnitType { H265.NALUnitType(firstByte: first) }
    /// Pictures of a higher sub-layer may refer to a sub-layer non-reference picture (H.265, section 7.4.2.2). The header does not tell
    /// whether there are higher sub-layers.
    public var isDisposable: Bool { false }
    /// nuh_layer_id.
    private var layer: UInt8 { first << 5 & 0x20 | second >> 3 }
    /// nuh_temporal_id_plus1; 0 is forbidden.
    private var temporal: UInt8 { second & 7 }

    public func replacing(type: UInt8) -> Self {
        Self(first: first & 0x81 | type << 1 & 0x7E, second: second)
    }

    /// F if any unit has it, and the lowest LayerId and TID (RFC 7798, section 4.4.2).
    public func aggregated(with other: Self) -> Self {
        let (layer, temporal) = (min(layer, other.layer), min(temporal, other.temporal))
        return Self(first: (first | other.first) & 0x80 | first & 0x7E | layer >> 5, second: layer << 3 | temporal)
    }

    public var isCarriable: Bool { type < Self.aggregate && temporal > 0 }
    /// Type 0, a trailing picture, has another second byte.
    public var mayBeStartCode: Bool { first == 0 && second == 0 }
    public var isDelimiter: Bool { unitType == .accessUnitDelimiter }
    public var isSlice: Bool { unitType.isVideoCodingLayer }
    public var isRandomAccessPoint: Bool { unitType.isRandomAccessPoint }
    public var isParameterSet: Bool { unitType.isParameterSet }
    public var isSupplementalInformation: Bool { unitType == .prefixSupplementalEnhancement }
}

/// Converts RTP payloads to H.265 access units (RFC 7798), without decoding order numbers (`sprop-max-don-diff=0`).
public typealias H265Depacketizer = NALUnitDepacketizer<H265PayloadHeader>
