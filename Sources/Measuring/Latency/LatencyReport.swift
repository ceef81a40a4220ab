import Streams

/// The result of `apus measure`, as printed by `--json`. Durations are in milliseconds. The names of properties without
/// `CodingKeys` are JSON keys.
public struct LatencyReport: Codable, Equatable, Sendable {
    /// The URL without user and password.
    public var url: String
    public var transport: String
    /// The encoding name of the session description, such as `H264`.
    public var encoding: String
    /// From the first live frame to the last.
    public var seconds: Double
    /// Why the measurement ended early; `nil` if it did not.
    public var prematureEnd: String?
    public var start: Start
    public var frames: Frames
    public var clocks: Clocks
    public var captureTimes: CaptureTimes
    public var latency: Latency
    public var jitter: Jitter
    /// How much later audio arrives than its video frame; `nil` without audio, or without sender reports of both tracks.
    public var audioOffset: Double?
    public var packets: Packets
    /// In bit/s, including RTP headers.
    public var videoBitrate: Double
    public var audioBitrate: Double
    public var groups: Groups?

    private enum CodingKeys: String, CodingKey {
        case url, transport, encoding, seconds, prematureEnd, start, frames, clocks, captureTimes, latency, jitter
        case audioOffset = "soundOffset"
        case packets
        case videoBitrate = "videoBitsPerSecond"
        case audioBitrate = "soundBitsPerSecond"
        case groups
    }

    /// Times of the session's start, counted from the start of connecting.
    public struct Start: Codable, Equatable, Sendable {
        public var connected: Double?
        public var playAnswered: Double?
        public var firstPacket: Double?
        /// When the first whole keyframe had arrived.
        public var firstDecodable: Double?
        public var firstDecoded: Double?
    }

    /// Counts of live frames, except `before`.
    public struct Frames: Codable, Equatable, Sendable {
        /// Frames of the first second, which count only for `start`.
        public var before: Int
        public var received: Int
        public var keys: Int
        /// Frames with missing or malformed packets.
        public var broken: Int
        public var decoded: Int
        /// Frames that the decoder of `measure` skipped because it was too slow, including the first second.
        public var skipped: Int
        public var perSecond: Double

        private enum CodingKeys: String, CodingKey {
            case before, received, keys, broken, decoded
            case skipped = "passedOver"
            case perSecond
        }
    }

    /// How the clock of the capture times relates to this host's clock.
    public struct Clocks: Codable, Equatable, Sendable {
        /// `same machine`, `same host`, `trusted`, `estimated` or `unknown`.
        public var relation: String
        public var sentence: String
        /// The estimated offset of the server's clock; `nil` if it was not estimated.
        public var offset: Double?
        /// Maximum error of latencies; `nil` if unknown.
        public var error: Double?
        /// How much this host's wall clock was set during the measurement.
        public var ownStep: Double
    }

    /// Numbers of frames by the basis of their capture time.
    public struct CaptureTimes: Codable, Equatable, Sendable {
        /// By the frame's own SEI.
        public var sei: Int
        /// By an earlier frame's SEI and the RTP time since then.
        public var seiAndRTP: Int
        /// By sender reports.
        public var senderReports: Int
        public var unknown: Int
        /// How the server determined them when the measurement began, if it receives the stream from elsewhere: `arrival`,
        /// `sender-reports` or `sender-clock`.
        public var origin: String?
        /// Rejected capture times by reason.
        public var rejectedSEI: [String: Int]
        public var rejectedSenderReports: [String: Int]
        /// The SEI's capture time less the sender report's, for frames with both. They should agree.
        public var seiAfterSenderReports: DurationSummary?

        private enum CodingKeys: String, CodingKey {
            case sei, seiAndRTP, senderReports, unknown, origin
            case rejectedSEI = "disbelievedSEI"
            case rejectedSenderReports = "disbelievedSenderReports"
            case seiAfterSenderReports
        }
    }

    public struct Latency: Codable, Equatable, Sendable {
        public var captureToEncoded: DurationSummary?
        public var captureToArrival: DurationSummary?
        public var captureToDecoded: DurationSummary?
        public var arrivalToDecoded: DurationSummary?
        /// Lateness against the least delayed frame, which needs no capture time.
        public var lateness: DurationSummary?
    }

    public struct Jitter: Codable, Equatable, Sendable {
        /// The final estimate of RFC 3550 (A.8), over video packets.
        public var rfc3550: Double
        /// From frame to frame, the difference between the spacing of arrivals and that of RTP timestamps.
        public var spacing: DurationSummary?
    }

    /// Packets of all tracks, from the first packet on.
    public struct Packets: Codable, Equatable, Sendable {
        /// Including the repaired ones.
        public var received: UInt64
        /// Packets that the network has lost.
        public var lostBeforeRepair: UInt64
        public var lossPercentBeforeRepair: Double
        /// Lost packets that arrived on request in time.
        public var repaired: UInt64
        /// Lost packets that were not repaired.
        public var lost: UInt64
        public var lossPercent: Double
        public var repair: RepairUse
        public var gaps: UInt64
        public var duplicates: UInt64
        public var reordered: UInt64
        public var malformed: Int
    }

    /// GOPs, from keyframe to keyframe.
    public struct Groups: Codable, Equatable, Sendable {
        public var whole: Int
        public var medianFrames: Int
        public var longestFrames: Int
        public var median: Double
        public var longest: Double
    }
}
