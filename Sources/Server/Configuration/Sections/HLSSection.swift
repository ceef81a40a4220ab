extension Configuration {
    /// HLS: how streams are divided into segments.
    public struct HLS: Hashable, Sendable {
        public var segmentSeconds = 1
        public var partMilliseconds = 200
        public var windowSeconds = 30
        public var maximumBytes = 64_000_000
        public var totalBytes = 512_000_000

        public init() {}
    }
}

extension Schema<Configuration.HLS> {
    static var hls: Self {
        Schema(
            takingEffect: .serverRestart,
            .integer(
                "segmentSeconds", \.segmentSeconds, in: 1...10, unit: "seconds",
                "Length of a segment. Players without low latency stay three segments behind. Sources that Apus encodes are asked "
                    + "for a keyframe at the start of each segment; of others, a segment ends at the next keyframe. More seconds "
                    + "mean fewer requests and keyframes."),
            .integer(
                "partMilliseconds", \.partMilliseconds, in: 100...2000, unit: "milliseconds",
                "Length of a part of a segment, rounded down to whole frames. Players with low latency stay three parts behind and "
                    + "ask for each part."),
            .integer(
                "windowSeconds", \.windowSeconds, in: 10...600, unit: "seconds",
                "How much of the past is kept in memory. Playlists list the newer half of it: a player may fetch a segment that has "
                    + "just left the playlist."),
            .integer(
                "maximumBytes", \.maximumBytes, in: 1_000_000...4_000_000_000, unit: "bytes",
                "Memory for the segments of one quality of a stream; the oldest are dropped first. 30 s at 17 Mbit/s have 64 MB."
            ),
            .integer(
                "totalBytes", \.totalBytes, in: 1_000_000...64_000_000_000, unit: "bytes",
                "Memory for the segments of all streams. If it is used up, each stream drops its oldest segments, down to two. The "
                    + "default is that of eight streams."))
    }
}
