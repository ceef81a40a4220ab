/// Which of a stream's tracks: its index in the order of announcement, 0 first.
public struct TrackID: Hashable, Comparable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        self.index = index
    }

    public static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// One elementary stream and all that a viewer must know before its first access unit.
public struct Track: Hashable, Sendable {
    public let id: TrackID
    public let clockRate: ClockRate
    /// Codec and out-of-band parameters; they may change while the stream runs.
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
