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

    public enum Format: Hashable, Sendable {
        case h264(H264.ParameterSets)
        case aac(AAC.AudioSpecificConfig)
    }

    public enum Kind: Hashable, Sendable {
        case video
        case audio
    }

    public var kind: Kind {
        switch format {
        case .h264: .video
        case .aac: .audio
        }
    }
}

extension Collection<Track> {
    /// The track that viewers start with, and whose times carry the stream's clock: the first video track, or else the first track.
    public var leading: Track? { first { $0.kind == .video } ?? first }
}
