/// A codec that Apus carries, with the facts about it that several modules need.
///
/// Whatever is more than a fact is in the modules: each that carries the codec has one `switch` over `Codec` or `Track.Format`
/// without `default`, so that the compiler lists what a new codec lacks (docs/decisions/030).
public enum Codec: Hashable, Sendable, CaseIterable {
    case h264
    case h265
    case aac
    case opus
    case pcma
    case pcmu

    /// The row of the codec.
    public struct Facts: Sendable {
        public let kind: Kind
        /// Its name in session descriptions, ignoring case.
        public let encodingName: String
        /// stream_type in MPEG transport streams (ISO/IEC 13818-1, table 2-34); `nil` if they do not carry it.
        public let streamType: UInt8?
        /// libavcodec's name of it.
        public let libavcodecName: String
        public let randomAccess: RandomAccess
        public let parameters: Parameters
    }

    public enum Kind: Hashable, Sendable {
        case video
        case audio
    }

    /// The access units at which decoding can start.
    public enum RandomAccess: Hashable, Sendable {
        /// At keyframes. Viewers wait for one.
        case keyframes
        /// At every access unit.
        case everyUnit
    }

    /// How a decoder gets its parameters, and so whether viewers survive a change of them.
    public enum Parameters: Hashable, Sendable {
        /// The stream repeats them before keyframes, so they may change.
        case inBand
        /// They are only in the session description, so a change ends the sessions.
        case described
    }

    public var facts: Facts {
        switch self {
        case .h264: Self.h264Facts
        case .h265: Self.h265Facts
        case .aac: Self.aacFacts
        case .opus: Self.opusFacts
        case .pcma: Self.g711Facts("PCMA", "pcm_alaw")
        case .pcmu: Self.g711Facts("PCMU", "pcm_mulaw")
        }
    }

    /// ITU-T H.264. A keyframe is an IDR picture with in-band parameter sets (RFC 6184, section 8.1: `sprop-parameter-sets`).
    private static let h264Facts = Facts(
        kind: .video, encodingName: "H264", streamType: 0x1B, libavcodecName: "h264",
        randomAccess: .keyframes, parameters: .inBand)

    /// ITU-T H.265. A keyframe is a picture at which decoding can start (IRAP) with in-band parameter sets (RFC 7798, section 7.1).
    private static let h265Facts = Facts(
        kind: .video, encodingName: "H265", streamType: 0x24, libavcodecName: "hevc",
        randomAccess: .keyframes, parameters: .inBand)

    /// ISO/IEC 14496-3. The configuration is only in the description (`config=`, RFC 3640, section 4.1), and a transport stream's
    /// packager makes all ADTS headers from the first one.
    private static let aacFacts = Facts(
        kind: .audio, encodingName: "MPEG4-GENERIC", streamType: 0x0F, libavcodecName: "aac",
        randomAccess: .everyUnit, parameters: .described)

    /// RFC 6716. In transport streams it is private data with a registration (ETSI TS 103 491 and FFmpeg).
    private static let opusFacts = Facts(
        kind: .audio, encodingName: "opus", streamType: 0x06, libavcodecName: "opus",
        randomAccess: .everyUnit, parameters: .described)

    /// ITU-T G.711.
    private static func g711Facts(_ encodingName: String, _ libavcodecName: String) -> Facts {
        Facts(
            kind: .audio, encodingName: encodingName, streamType: nil, libavcodecName: libavcodecName,
            randomAccess: .everyUnit, parameters: .described)
    }

    /// The codec with this libavcodec name; `nil` for one that Apus does not carry.
    public init?(libavcodecName name: String) {
        guard let codec = Self.allCases.first(where: { $0.facts.libavcodecName == name }) else { return nil }
        self = codec
    }
}
