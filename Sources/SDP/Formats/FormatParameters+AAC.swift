import Media

/// AAC, mode AAC-hbr (RFC 3640, sections 3.3.6 and 4.1), and AAC in LATM (RFC 6416, section 7), which is only read.
extension FormatParameters {
    init(_ configuration: AAC.AudioSpecificConfig) {
        self.init([
            (name: "streamtype", value: "5"),
            (name: "profile-level-id", value: "\(Self.profileLevel(of: configuration))"),
            (name: "mode", value: "AAC-hbr"),
            (name: "config", value: Hexadecimal.encode(configuration.bytes)),
            (name: "sizelength", value: "13"),
            (name: "indexlength", value: "3"),
            (name: "indexdeltalength", value: "3"),
        ])
    }

    /// AAC-hbr with a readable configuration; any other mode is unknown.
    var aac: DescribedTrack.Payload {
        // A missing layout of the AU header means the usual one (Anpviz).
        let layout = ["sizelength", "indexlength", "indexdeltalength"].map(number)
        guard layout == [13, 3, 3] || layout == [nil, nil, nil],
            let bytes = self["config"].flatMap({ Hexadecimal.decode(Substring($0)) }),
            let configuration = AAC.AudioSpecificConfig(parsing: bytes)
        else { return .unknown }
        return .described(.aac(configuration))
    }

    /// AAC in LATM, if the configuration is here and not in the packets (`cpresent=0`; 1 is the default).
    var latm: DescribedTrack.Payload {
        guard number("cpresent") == 0 else { return .unsupported("MP4A-LATM with cpresent=1") }
        guard let bytes = self["config"].flatMap({ Hexadecimal.decode(Substring($0)) }),
            let configuration = AAC.StreamMuxConfig(parsing: bytes)
        else { return .unsupported("MP4A-LATM with this config") }
        return .latm(configuration)
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
