import Media
import Wire

/// What can be told of an H.264 payload by a look at its first bytes.
public enum H264Peek {
    /// Whether the payload begins a slice of an IDR picture: alone, in an aggregate, or as a first fragment.
    public static func beginsIDR(_ payload: RawSpan) -> Bool {
        guard payload.byteCount > 1 else { return false }
        switch NALUnitOctet(payload.byte(at: 0)).type {
        case idr: return true
        case NALUnitOctet.aggregate: return aggregateHoldsIDR(payload)
        case NALUnitOctet.fragment:
            let fragment = payload.byte(at: 1)
            return fragment & 0x80 != 0 && fragment & 0x1F == idr
        default: return false
        }
    }

    /// The SEI user data in the payload: of a NAL unit alone, or of those in an aggregate; none of a fragment.
    public static func userData(in payload: RawSpan) -> [H264.UserData] {
        guard payload.byteCount > 1 else { return [] }
        guard NALUnitOctet(payload.byte(at: 0)).type == NALUnitOctet.aggregate else { return userData(ofUnit: payload) }
        var found: [H264.UserData] = []
        var reader = ByteReader(payload)
        _ = reader.skip(1)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) { found += userData(ofUnit: unit) }
        return found
    }

    private static func userData(ofUnit unit: RawSpan) -> [H264.UserData] {
        guard unit.byteCount > 0, NALUnitOctet(unit.byte(at: 0)).isSupplementalInformation else { return [] }
        return H264.UserData.all(in: [UInt8](unit))
    }

    private static let idr: UInt8 = 5

    private static func aggregateHoldsIDR(_ payload: RawSpan) -> Bool {
        var reader = ByteReader(payload)
        _ = reader.skip(1)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) {
            if unit.byteCount > 0, NALUnitOctet(unit.byte(at: 0)).type == idr { return true }
        }
        return false
    }
}
