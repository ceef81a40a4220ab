import Media
import Wire

/// Inspects an H.264 payload without depacketizing it.
public enum H264Peek {
    /// Whether the payload begins a slice of an IDR picture: as a single NAL unit, in an aggregate, or as the first fragment.
    public static func beginsIDR(_ payload: RawSpan) -> Bool {
        payload.byteCount > 1 && H264PayloadHeader.beginsRandomAccessPoint(payload)
    }

    /// The SEI user data in a single NAL unit or an aggregate; none in a fragment.
    public static func userData(in payload: RawSpan) -> [H264.UserData] {
        guard payload.byteCount > 1 else { return [] }
        let header = H264PayloadHeader(first: payload.byte(at: 0))
        guard header.type == H264PayloadHeader.aggregate else { return userData(ofUnit: payload) }
        var found: [H264.UserData] = []
        var reader = ByteReader(payload)
        _ = reader.skip(1)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) { found += userData(ofUnit: unit) }
        return found
    }

    private static func userData(ofUnit unit: RawSpan) -> [H264.UserData] {
        guard H264PayloadHeader(unit)?.isSupplementalInformation == true else { return [] }
        return H264.UserData.all(in: [UInt8](unit))
    }
}
