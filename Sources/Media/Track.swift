/// The index of a track in its stream, from 0 in the order of announcement.
public struct TrackID: Hashable, Comparable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        self.index = index
    }

    public static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// One elementary stream, with the parameters that a viewer needs before its first access unit.
public struct Track: Hashable, Sendable {
    public let id: TrackID
    public let clockRate: ClockRate
    /// The codec and its out-of-band parameters. They may change while the stream runs.
    public var format: Format

    public init(id: TrackID, clockRate: ClockRate, format: Format) {
        self.id = id
        self.clockRate = clockRate
        self.format = format
    }

    /// A track with the usual clock rate of its format.
    public init(id: TrackID, format: Format) {
        self.init(id: id, clockRate: format.clockRate, format: format)
    }

    public var codec: Codec { format.codec }
    public var kind: Codec.Kind { codec.facts.kind }

    /// Whether a viewer that negotiated this track can receive `new` in its place.
    public func isCompatible(with new: Track) -> Bool {
        guard id == new.id, clockRate == new.clockRate, codec == new.codec else { return false }
        switch codec.facts.parameters {
        case .inBand: return true
        case .described:
            if case .aac(let own) = format, case .aac(let other) = new.format { return own.isEquivalent(to: other) }
            return format == new.format
        }
    }
}

extension Track {
    /// A codec with its parameters.
    public enum Format: Hashable, Sendable {
        case h264(H264.ParameterSets)
        case h265(H265.ParameterSets)
        case aac(AAC.AudioSpecificConfig)
        /// Opus with one or two channels. Its packets may have either number, so this is what decoders should give.
        case opus(channelCount: Int)
        case g711(G711)

        public var codec: Codec {
            switch self {
            case .h264: .h264
            case .h265: .h265
            case .aac: .aac
            case .opus: .opus
            case .g711(let format): format.law == .a ? .pcma : .pcmu
            }
        }

        /// The usual rate of the RTP clock: 90 kHz for all video, the sample rate for audio (RFC 3640, section 4.1), which is
        /// always 48 kHz for Opus.
        public var clockRate: ClockRate {
            switch self {
            case .h264, .h265: .video
            case .aac(let configuration): configuration.sampleRate
            case .opus: .audio48k
            case .g711(let format): format.sampleRate
            }
        }

        /// The codec and what matters to a listener, for messages: `AAC 48000 Hz stereo`.
        public var summary: String {
            let channels =
                switch channelCount {
                case nil, 0: ""
                case 1: " mono"
                case 2: " stereo"
                case let count?: " with \(count) channels"
                }
            return switch self {
            case .h264: "H.264"
            case .h265: "H.265"
            case .aac: "AAC \(clockRate)\(channels)"
            case .opus: "Opus\(channels)"
            case .g711(let format): "G.711 \(format.law == .a ? "A-law" : "mu-law") \(clockRate)\(channels)"
            }
        }

        /// Speaker channels; `nil` for video, 0 if only the bytes of the configuration define them.
        public var channelCount: Int? {
            switch self {
            case .h264, .h265: nil
            case .aac(let configuration): configuration.channelCount
            case .opus(let channelCount): channelCount
            case .g711(let format): format.channelCount
            }
        }
    }
}

extension Collection<Track> {
    /// The track that viewers start with, and whose times are the stream's clock: the first video track, or else the first.
    public var leading: Track? { first { $0.kind == .video } ?? first }

    /// The codecs, for messages: `H.264 and AAC 48000 Hz stereo`.
    public var summary: String { map(\.format.summary).joined(separator: " and ") }

    /// Whether viewers that negotiated these tracks can receive `new` in their place.
    public func isCompatible(with new: some Collection<Track>) -> Bool {
        count == new.count && zip(self, new).allSatisfy { $0.isCompatible(with: $1) }
    }
}
