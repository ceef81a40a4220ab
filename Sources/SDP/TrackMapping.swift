import Media

/// Converts a track to the attributes of a media description.
struct TrackMapping {
    let payloadType: UInt8
    let track: Track

    /// Maximum base 64 characters of parameter sets in the description. Longer sets are omitted, because live555 accepts replies
    /// of up to 20 000 bytes, and the sets are also in band.
    static let parameterSetLimit = 8_000

    var rtpMap: RTPMap {
        let rate = UInt32(track.clockRate.hertz)
        switch track.format {
        case .h264:
            return RTPMap(payloadType: payloadType, encodingName: "H264", clockRate: rate)
        case .aac(let config):
            return RTPMap(
                payloadType: payloadType, encodingName: "MPEG4-GENERIC", clockRate: rate,
                channelCount: config.channelCount > 0 ? config.channelCount : nil)
        }
    }

    var formatParameters: FormatParameters {
        switch track.format {
        case .h264(let sets): Self.parameters(of: sets)
        case .aac(let config): Self.parameters(of: config)
        }
    }

    /// RFC 6184, section 8.1.
    private static func parameters(of sets: H264.ParameterSets) -> FormatParameters {
        let profile = sets.profileLevelID
        let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: profile >> UInt32($0)) }
        let units = (sets.sequence + sets.picture).map(Base64.encode).joined(separator: ",")
        var parameters = [("packetization-mode", "1"), ("profile-level-id", Hexadecimal.encode(bytes))]
        if units.utf8.count <= parameterSetLimit { parameters.append(("sprop-parameter-sets", units)) }
        return FormatParameters(parameters.map { (name: $0, value: $1) })
    }

    /// RFC 3640, sections 3.3.6 and 4.1.
    private static func parameters(of config: AAC.AudioSpecificConfig) -> FormatParameters {
        FormatParameters([
            (name: "streamtype", value: "5"),
            (name: "profile-level-id", value: "\(profileLevel(of: config))"),
            (name: "mode", value: "AAC-hbr"),
            (name: "config", value: Hexadecimal.encode(config.bytes)),
            (name: "sizelength", value: "13"),
            (name: "indexlength", value: "3"),
            (name: "indexdeltalength", value: "3"),
        ])
    }

    /// audioProfileLevelIndication of the AAC profile (ISO/IEC 14496-3, table 1.14); 254 is "none specified".
    private static func profileLevel(of config: AAC.AudioSpecificConfig) -> Int {
        guard config.audioObjectType == 2, config.channelCount > 0 else { return 254 }
        switch (config.channelCount, config.sampleRate.hertz) {
        case (...2, ...24_000): return 40
        case (...2, ...48_000): return 41
        // Levels count main channels, so 5.1 has five.
        case (...6, ...48_000): return 42
        case (...6, ...96_000): return 43
        default: return 254
        }
    }
}
