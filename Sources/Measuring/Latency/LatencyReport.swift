import Streams

/// What `apus measure` found, as `--json` prints it; durations are in milliseconds.
public struct LatencyReport: Codable, Equatable, Sendable {
    /// Without user and password.
    public var url: String
    public var transport: String
    /// As the description writes it: `H264`.
    public var encoding: String
    /// From the first live frame to the last.
    public var seconds: Double
    /// Why it ended before it was enough.
    public var prematureEnd: String?
    public var start: Start
    public var frames: Frames
    public var clocks: Clocks
    public var captureTimes: CaptureTimes
    public var latency: Latency
    public var jitter: Jitter
    /// By how much sound comes later than its picture; `nil` without sound, or without sender reports of both.
    public var soundOffset: Double?
    public var packets: Packets
    /// With RTP headers.
    public var videoBitsPerSecond: Double
    public var soundBitsPerSecond: Double
    public var groups: Groups?

    /// From the beginning of connecting.
    public struct Start: Codable, Equatable, Sendable {
        public var connected: Double?
        public var playAnswered: Double?
        public var firstPacket: Double?
        /// The first whole IDR picture had come.
        public var firstDecodable: Double?
        public var firstDecoded: Double?
    }

    /// Live ones, but for `before`.
    public struct Frames: Codable, Equatable, Sendable {
        /// Frames of the first second, which only `start` counts.
        public var before: Int
        public var received: Int
        public var keys: Int
        /// Frames of which packets are missing or malformed.
        public var broken: Int
        public var decoded: Int
        /// Frames that the decoder of `measure` was too slow for, those of the first second too.
        public var passedOver: Int
        public var perSecond: Double
    }

    /// How the clock of the capture times stands to this host's.
    public struct Clocks: Codable, Equatable, Sendable {
        /// `same machine`, `same host`, `trusted`, `estimated` or `unknown`.
        public var relation: String
        public var sentence: String
        /// The server's less ours, where it is estimated.
        public var offset: Double?
        /// By how much latencies may be wrong at most; `nil` where nobody can say.
        public var error: Double?
        /// By how much this host's wall clock was set meanwhile.
        public var ownStep: Double
    }

    /// Who said when frames were captured.
    public struct CaptureTimes: Codable, Equatable, Sendable {
        /// By their own SEI.
        public var sei: Int
        /// By an earlier frame's SEI and the RTP time since.
        public var seiAndRTP: Int
        /// By sender reports.
        public var senderReports: Int
        public var unknown: Int
        /// SEI that were not believed, by reason.
        public var disbelievedSEI: [String: Int]
        public var disbelievedSenderReports: [String: Int]
        /// SEI less sender reports, where a frame has both: they should agree.
        public var seiAfterSenderReports: DurationSummary?
    }

    public struct Latency: Codable, Equatable, Sendable {
        public var captureToEncoded: DurationSummary?
        public var captureToArrival: DurationSummary?
        public var captureToDecoded: DurationSummary?
        public var arrivalToDecoded: DurationSummary?
        /// Later than the least delayed frame: needs no capture time.
        public var lateness: DurationSummary?
    }

    public struct Jitter: Codable, Equatable, Sendable {
        /// RFC 3550's estimate (A.8) over packets of video, at the end.
        public var rfc3550: Double
        /// From frame to frame, how far the spacing of arrivals is from that of RTP times.
        public var spacing: DurationSummary?
    }

    /// Of all tracks, from the first packet on.
    public struct Packets: Codable, Equatable, Sendable {
        public var received: UInt64
        public var lost: UInt64
        public var lossPercent: Double
        public var gaps: UInt64
        public var duplicates: UInt64
        public var reordered: UInt64
        public var malformed: Int
    }

    /// From IDR picture to IDR picture.
    public struct Groups: Codable, Equatable, Sendable {
        public var whole: Int
        public var medianFrames: Int
        public var longestFrames: Int
        public var median: Double
        public var longest: Double
    }
}
