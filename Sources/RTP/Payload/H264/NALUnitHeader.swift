/// The first byte of a NAL unit, as the payload format sees it (RFC 6184, section 1.3).
///
/// ```
/// +-+-+-+-+-+-+-+-+
/// |F|NRI|  Type   |
/// +-+-+-+-+-+-+-+-+
/// ```
struct NALUnitHeader: Hashable, Sendable {
    let octet: UInt8

    init(_ octet: UInt8) {
        self.octet = octet
    }

    /// A header of `type` with the F and NRI bits of `other`.
    init(type: UInt8, like other: NALUnitHeader) {
        octet = other.octet & 0xE0 | type & 0x1F
    }

    var type: UInt8 { octet & 0x1F }

    /// Whether a single NAL unit packet can carry it: 0 and 24…31 mean something else in RTP.
    var isCarriable: Bool { (1...23).contains(type) }

    var isParameterSet: Bool { type == 7 || type == 8 }
    var isSupplementalInformation: Bool { type == 6 }

    /// The header of an aggregate that also holds `other`: F if any has it, the highest NRI (RFC 6184, section 5.7).
    func aggregated(with other: NALUnitHeader) -> NALUnitHeader {
        let forbidden = (octet | other.octet) & 0x80
        let importance = max(octet & 0x60, other.octet & 0x60)
        return NALUnitHeader(forbidden | importance | octet & 0x1F)
    }

    static let aggregate: UInt8 = 24
    static let fragment: UInt8 = 28
}
