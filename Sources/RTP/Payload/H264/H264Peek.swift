import Media
import Wire

/// Inspects an H.264 payload without depacketizing it.
public enum H264Peek {
    /// Whether the payload begins a slice of an IDR picture: as a single NAL unit, in an aggregate, or as the first fragment.
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

    /// The SEI user data in a single NAL unit or an aggregate; none in a fragment.
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

    private static let idr = H264.NALUnitType.idrSlice.rawValue

    private static func aggregateHoldsIDR(_ payload: RawSpan) -> Bool {
        var reader = ByteReader(payload)
        _ = reader.skip(1)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) {
            if unit.byteCount > 0, NALUnitOctet(unit.byte(at: 0)).type == idr { return true }
        }
        return false
    }
}
