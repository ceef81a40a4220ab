import Media

/// The codecs with their parameters, as the `codecs` parameter of a MIME type has them (RFC 6381; ISO/IEC 14496-15, annex E).
enum CodecString {
    /// `avc1.640028`: profile, constraints and level.
    static func h264(_ sets: H264.ParameterSets, _ placement: ParameterSetPlacement) -> String {
        (placement == .inBand ? "avc3." : "avc1.") + hexadecimal(sets.profileLevelID, digitCount: 6)
    }

    /// `hev1.1.6.L93.B0`: profile, compatibility flags in reverse order, tier and level, and the bytes of constraint flags
    /// without trailing zeros.
    static func h265(_ sets: H265.ParameterSets, _ placement: ParameterSetPlacement) -> String {
        let profile = sets.profile
        let space = profile.space == 0 ? "" : ["A", "B", "C"][Int(profile.space) - 1]
        var parts = [
            placement == .inBand ? "hev1" : "hvc1", space + "\(profile.profile)",
            hexadecimal(profile.compatibility.bitReversed), (profile.isHighTier ? "H" : "L") + "\(profile.level)",
        ]
        var constraints = profile.constraints << 16
        while constraints != 0 {
            parts.append(hexadecimal(UInt32(constraints >> 56)))
            constraints <<= 8
        }
        return parts.joined(separator: ".")
    }

    /// `mp4a.40.2`: MPEG-4 audio with its object type.
    static func aac(_ configuration: AAC.AudioSpecificConfig) -> String { "mp4a.40.\(configuration.audioObjectType)" }

    static let opus = "opus"

    private static func hexadecimal(_ value: UInt32, digitCount: Int = 1) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}

extension UInt32 {
    fileprivate var bitReversed: UInt32 {
        (0..<32).reduce(0) { $0 | (self >> UInt32($1) & 1) << UInt32(31 - $1) }
    }
}
