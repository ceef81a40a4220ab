import Streams

extension Configuration {
    /// How a viewer that joins gets its first frame.
    public struct Join: Hashable, Sendable {
        public var mode = JoinMode.auto
        public var fastStartMilliseconds = 120
        public var minimumFastStartFrames = 20
        public var maximumFastStartFrames = 150
        public var maximumFastStartBytes = 1_000_000
        public var totalFastStartBytes = 64_000_000

        public init() {}
    }
}

extension Schema<Configuration.Join> {
    static var join: Self {
        Schema(
            takingEffect: .newViewers,
            .choice(
                "mode", \.mode, formerWords: formerJoinWords,
                "auto: a viewer first gets the frames since the last keyframe, compressed into a short time (fast start), "
                    + "if they are within the limits below; otherwise, and for clients that are known as recorders, as "
                    + "with keyframe. fastStart: the same, also for recorders. keyframe: only live frames, from the next "
                    + "keyframe, which the encoder is asked for. A client can choose with ?join=fast or ?join=keyframe in "
                    + "its URL."),
            .integer(
                "fastStartMilliseconds", \.fastStartMilliseconds, in: 100...1000, unit: "milliseconds",
                "Time into which the older frames are compressed. Below 100 mpv stalls; VLC with live555 works best with 500."
            ).formerly("preludeMilliseconds"),
            .integer(
                "minimumFastStartFrames", \.minimumFastStartFrames, in: 0...300, unit: "frames",
                "If there are fewer frames since the last keyframe, the fast start begins at an earlier one: players "
                    + "analyse this many frames before they show one, and the time for which they wait stays as latency. "
                    + "Over RTMP it is at least 45."
            ).formerly("minimumPreludeFrames"),
            .integer(
                "maximumFastStartFrames", \.maximumFastStartFrames, in: 1...10_000, unit: "frames",
                "A fast start with more frames is not sent: a small device takes too long to decode them."
            ).formerly("maximumPreludeFrames"),
            .integer(
                "maximumFastStartBytes", \.maximumFastStartBytes, in: 10_000...100_000_000, unit: "bytes",
                "A fast start with more bytes is not sent: if it takes longer than 200 ms to send, the rest stays as latency. "
                    + "Over RTMP the limit is twice as high, for the frames that players analyse."
            ).formerly("maximumPreludeBytes"),
            .integer(
                "totalFastStartBytes", \.totalFastStartBytes, in: 1_000_000...4_000_000_000, unit: "bytes",
                "Memory for all fast starts that are being sent; viewers that join at the same frame share one. If none is "
                    + "left, a viewer starts as with keyframe. The default is 64 times the default of "
                    + "maximumFastStartBytes."
            ).formerly("totalPreludeBytes").takingEffect(.serverRestart))
    }
}

/// What `join` and `join.mode` were called in earlier releases.
let formerJoinWords = ["prelude": "fastStart"]
