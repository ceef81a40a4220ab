import Media

/// The NAL unit type octet, which is also the first byte of every payload (RFC 6184, sections 1.3 and 5.3).
///
/// ```
/// +-+-+-+-+-+-+-+-+
/// |F|NRI|  Type   |
/// +-+-+-+-+-+-+-+-+
/// ```
struct NALUnitOctet: Hashable, Sendable {
    let octet: UInt8

    init(_ octet: UInt8) {
        self.octet = octet
    }

    /// An octet with this type and the F and NRI bits of `other`.
    init(type: UInt8, like other: NALUnitOctet) {
        octet = other.octet & 0xE0 | type & 0x1F
    }

    /// 24…31 have a meaning of their own in RTP.
    var type: UInt8 { octet & 0x1F }
    /// nal_unit_type of a NAL unit that a packet carries.
    private var unitType: H264.NALUnitType { H264.NALUnitType(rawValue: octet) }

    /// Whether a single NAL unit packet can carry it: types 0 and 24…31 have another meaning in RTP.
    var isCarriable: Bool { (1...23).contains(type) }

    /// Whether it may be the first octet of a start code instead.
    var mayBeStartCode: Bool { octet == 0 }

    /// Whether it is an access unit delimiter. It is redundant, because timestamps separate access units.
    var isDelimiter: Bool { unitType == .accessUnitDelimiter }
    /// Whether it is a part of a picture (VCL).
    var isSlice: Bool { unitType.isVideoCodingLayer }
    var isParameterSet: Bool { unitType == .sequenceParameterSet || unitType == .pictureParameterSet }
    var isSupplementalInformation: Bool { unitType == .supplementalEnhancement }

    /// The octet of an aggregate that also contains `other`: F if any unit has it, and the highest NRI (RFC 6184, section 5.7).
    func aggregated(with other: NALUnitOctet) -> NALUnitOctet {
        let forbidden = (octet | other.octet) & 0x80
        let importance = max(octet & 0x60, other.octet & 0x60)
        return NALUnitOctet(forbidden | importance | octet & 0x1F)
    }

    static let aggregate: UInt8 = 24
    static let fragment: UInt8 = 28
}
