import HLS

/// How streams are served as HLS. Every value has the documented default.
public struct PlaybackOptions: Hashable, Sendable {
    public var segmentSeconds = 1
    public var partMilliseconds = 200
    /// How much of the past is kept, in seconds.
    public var windowSeconds = 30
    /// Bytes of the segments of one stream.
    public var maximumByteCount = 64_000_000
    /// Bytes of the segments of all streams.
    public var totalByteCount = 512_000_000
    /// Sessions of one address that play at the same time. Clients on this host are exempt.
    public var sessionsPerAddress = 64
    /// How long a rendition goes on after the last request for it, in milliseconds. A player that pauses for less finds its segments.
    public var idleMilliseconds: Int64 = 30_000
    /// After so many milliseconds without a request, a player is no longer a viewer: players ask once per target duration at least, which
    /// is 10 s at most.
    public var silenceMilliseconds: Int64 = 20_000

    public init() {}

    /// - Parameters:
    ///   - content: the kinds of tracks.
    ///   - keyframes: whether the source makes keyframes when asked.
    ///   - seconds: when the first segment was captured, in seconds since 1970: it gives the number of that segment.
    ///   - minimumTargetSeconds: the target duration of the parent stream, for a substream; else 1.
    func segmenter(
        _ content: PlaylistName.Content, _ keyframes: SegmenterOptions.Keyframes, at seconds: Int64,
        minimumTargetSeconds: Int
    ) -> SegmenterOptions {
        let nanoseconds: Int64 = 1_000_000_000
        var options = SegmenterOptions()
        options.segmentDuration = Int64(segmentSeconds) * nanoseconds
        options.partDuration = Int64(partMilliseconds) * 1_000_000
        options.window = Int64(windowSeconds) * nanoseconds
        options.maximumByteCount = maximumByteCount
        options.kinds = content.kinds
        options.keyframes = keyframes
        options.firstNumber = seconds / Int64(segmentSeconds)
        options.minimumTargetSeconds = minimumTargetSeconds
        return options
    }
}
