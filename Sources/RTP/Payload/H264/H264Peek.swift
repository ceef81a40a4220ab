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

    /// The unregistered user data with this identifier of 16 bytes (H.264, D.1.6), where an SEI NAL unit in the payload begins with
    /// it: alone, or in an aggregate. Emulation prevention bytes are left where they are.
    public static func userData(identifiedBy identifier: [UInt8], in payload: RawSpan) -> [UInt8]? {
        guard payload.byteCount > 1 else { return nil }
        switch NALUnitOctet(payload.byte(at: 0)).type {
        case supplementalInformation: return userData(identifier, of: payload)
        case NALUnitOctet.aggregate:
            var reader = ByteReader(payload)
            _ = reader.skip(1)
            while let length = reader.uint16(), let unit = reader.take(Int(length)) {
                if let data = userData(identifier, of: unit) { return data }
            }
            return nil
        default: return nil
        }
    }

    private static let idr: UInt8 = 5
    private static let supplementalInformation: UInt8 = 6
    private static let unregisteredUserData: UInt8 = 5

    /// NAL header, payload type, payload size (one byte: what is longer is none of ours), identifier, data.
    private static func userData(_ identifier: [UInt8], of unit: RawSpan) -> [UInt8]? {
        var reader = ByteReader(unit)
        guard let header = reader.uint8(), NALUnitOctet(header).type == supplementalInformation,
            reader.uint8() == unregisteredUserData, let byteCount = reader.uint8(), byteCount >= identifier.count,
            let found = reader.take(identifier.count), [UInt8](found) == identifier,
            let data = reader.take(Int(byteCount) - identifier.count)
        else { return nil }
        return [UInt8](data)
    }

    private static func aggregateHoldsIDR(_ payload: RawSpan) -> Bool {
        var reader = ByteReader(payload)
        _ = reader.skip(1)
        while let length = reader.uint16(), let unit = reader.take(Int(length)) {
            if unit.byteCount > 0, NALUnitOctet(unit.byte(at: 0)).type == idr { return true }
        }
        return false
    }
}
