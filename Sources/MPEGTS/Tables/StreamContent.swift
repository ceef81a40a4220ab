import Media

/// What an elementary stream contains, by its entry in the program map.
enum StreamContent: Hashable, Sendable {
    case h264
    case h265
    /// AAC in ADTS frames.
    case adts
    /// AAC in LATM frames with their own synchronisation (LOAS).
    case latm
    case opus(channelCount: Int)
    /// A format that is not received, with its name.
    case other(String)

    init(type: UInt8, descriptors: Descriptors) {
        switch Codec.allCases.first(where: { $0.facts.streamType == type }) {
        case .h264: self = .h264
        case .h265: self = .h265
        case .aac: self = .adts
        // The type of all private data.
        case .opus:
            self =
                OpusFraming.channelCount(in: descriptors).map { .opus(channelCount: $0) }
                ?? .other(Self.privateName(descriptors))
        case .pcma, .pcmu, nil: self = type == Self.latmType ? .latm : .other(Self.name(of: type))
        }
    }

    /// `nil` for a format that is not received.
    var codec: Codec? {
        switch self {
        case .h264: .h264
        case .h265: .h265
        case .adts, .latm: .aac
        case .opus: .opus
        case .other: nil
        }
    }

    var name: String {
        switch self {
        case .h264: "H.264"
        case .h265: "H.265"
        case .adts, .latm: "AAC"
        case .opus: "Opus"
        case .other(let name): name
        }
    }

    private static let latmType: UInt8 = 0x11

    private static func name(of type: UInt8) -> String {
        names[type] ?? "stream type 0x\(type < 16 ? "0" : "")\(String(type, radix: 16, uppercase: true))"
    }

    /// The other types of ISO/IEC 13818-1, table 2-34, and of ATSC and others, that are in use.
    private static let names: [UInt8: String] = [
        0x01: "MPEG-1 video", 0x02: "MPEG-2 video", 0x03: "MPEG-1 audio (MP3)",
        0x04: "MPEG-2 audio (MP3)", 0x05: "private sections",
        0x0D: "DSM-CC sections", 0x10: "MPEG-4 video", 0x15: "metadata", 0x1C: "MPEG-4 audio without framing",
        0x20: "MVC video", 0x21: "JPEG 2000", 0x33: "H.266", 0x42: "AVS video", 0x80: "Blu-ray or DigiCipher data",
        0x81: "AC-3", 0x82: "DTS or subtitles", 0x86: "SCTE-35", 0x87: "E-AC-3", 0x90: "G.711 A-law",
        0x91: "G.711 mu-law", 0xEA: "VC-1",
    ]

    /// What DVB descriptors say of private data (ETSI EN 300 468, table 12).
    private static let descriptorNames: [(tag: UInt8, name: String)] = [
        (0x6A, "AC-3"), (0x7A, "E-AC-3"), (0x7B, "DTS"), (0x7C, "AAC in private data"), (0x56, "teletext"),
        (0x59, "subtitles"), (0x45, "VBI data"), (0x46, "VBI teletext"),
    ]

    private static func privateName(_ descriptors: Descriptors) -> String {
        if let known = descriptorNames.first(where: { descriptors[$0.tag] != nil }) { return known.name }
        if descriptors.registration == OpusFraming.formatIdentifier { return "Opus with more than two channels" }
        return descriptors.registration.map { "private data “\($0)”" } ?? "private data"
    }
}
