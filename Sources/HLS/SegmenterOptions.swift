import Media

/// How a stream is divided into segments and parts. All durations are nanoseconds of media.
public struct SegmenterOptions: Hashable, Sendable {
    /// Whether the source makes keyframes when asked.
    public enum Keyframes: Hashable, Sendable {
        /// It does, so segments have the configured duration, at the same times in all renditions.
        case onRequest
        /// It does not, so a segment is as long as its source lets it be.
        case asTheyCome
    }

    /// The duration of a segment: at least a second.
    public var segmentDuration: Int64 = 1_000_000_000
    /// The duration of a part, rounded down to whole frames.
    public var partDuration: Int64 = 200_000_000
    /// What is kept of the past. Playlists list a half of it, because a client may fetch a segment later than it was listed.
    public var window: Int64 = 30_000_000_000
    /// Bytes of all kept segments. Fewer are kept if they are larger.
    public var maximumByteCount = 64_000_000
    public var keyframes = Keyframes.asTheyCome
    /// The kinds of tracks that segments have.
    public var kinds: Set<Codec.Kind> = [.video, .audio]
    /// The media sequence number of the first segment.
    public var firstNumber: Int64 = 0
    /// The least target duration in seconds: that of the renditions between which clients change.
    public var minimumTargetSeconds = 1

    public init() {}
}
