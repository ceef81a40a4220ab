import Media

/// The NAL unit type octet, which is also the first byte of every payload (RFC 6184, sections 1.3 and 5.3).
///
/// ```
/// +-+-+-+-+-+-+-+-+
/// |F|NRI|  Type   |
/// +-+-+-+-+-+-+-+-+
/// ```
public struct H264PayloadHeader: NALUnitPayloadHeader {
    public static let byteCount = 1
    /// STAP-A.
    public static let aggregate: UInt8 = 24
    /// FU-A.
    public static let fragment: UInt8 = 28

    public let first: UInt8
    public var second: UInt8 { 0 }

    public init(first: UInt8, second: UInt8 = 0) {
        self.first = first
    }

    /// 24…31 have a meaning of their own in RTP.
    public var type: UInt8 { first & 0x1F }
    /// nal_unit_type of a NAL unit that a packet carries.
    private var unitType: H264.NALUnitType { H264.NALUnitType(rawValue: first) }

    /// nal_ref_idc is 0: the slice, or the SEI or delimiter before it, is not used for reference (H.264, section 7.4.1).
    public var isDisposable: Bool { first & 0x60 == 0 }

    /// F and NRI do not change.
    public func replacing(type: UInt8) -> Self {
        Self(first: first & 0xE0 | type & 0x1F)
    }

    /// F if any unit has it, and the highest NRI (RFC 6184, section 5.7).
    public func aggregated(with other: Self) -> Self {
        let forbidden = (first | other.first) & 0x80
        let importance = max(first & 0x60, other.first & 0x60)
        return Self(first: forbidden | importance | first & 0x1F)
    }

    public var isCarriable: Bool { (1...23).contains(type) }
    public var mayBeStartCode: Bool { first == 0 }
    public var isDelimiter: Bool { unitType == .accessUnitDelimiter }
    public var isSlice: Bool { unitType.isVideoCodingLayer }
    public var isRandomAccessPoint: Bool { unitType == .idrSlice }
    public var isParameterSet: Bool { unitType == .sequenceParameterSet || unitType == .pictureParameterSet }
    public var isSupplementalInformation: Bool { unitType == .supplementalEnhancement }
}

/// Converts RTP payloads to H.264 access units, packetization-mode 0 and 1 (RFC 6184, section 7.1).
public typealias H264Depacketizer = NALUnitDepacketizer<H264PayloadHeader>
