import Media

/// The events of one session with their times. Everything else is computed from them at the end.
struct Recording: Sendable {
    /// When connecting began.
    let opened: MonotonicTime
    var connected: MonotonicTime?
    var played: MonotonicTime?
    var firstPacket: MonotonicTime?
    /// When the first whole keyframe had arrived.
    var firstDecodable: MonotonicTime?
    var firstDecoded: MonotonicTime?

    /// The encoding name of the session description, such as `H264`.
    var encodingName = ""
    /// How the server determines the capture times of a stream that it receives; `nil` if it does not say.
    var captureTimeOrigin: CaptureTimeOrigin?
    var videoRate = ClockRate.video
    var audioRate: ClockRate?
    /// In the order of their sequence numbers.
    var frames: [ReceivedFrame] = []
    /// Index of the first live frame. Earlier frames may belong to a fast start.
    var firstLive: Int?
    var audio: [ReceivedAudio] = []
    var videoReports: [ReceivedReport] = []
    var audioReports: [ReceivedReport] = []

    var repair = RepairUse.none
    /// The loss of each track.
    var loss: [LossTracker] = []
    var malformedPackets = 0
    /// The jitter of live video packets (RFC 3550).
    var jitter: InterarrivalJitter?
    /// Units that were skipped because the decoder was too slow.
    var skippedUnits = 0
    /// Whether the video is decoded.
    var isDecoded = false

    /// The shortest time from a request to its response, in nanoseconds.
    var roundTrip: Int64?
    /// This host's wall clock (since 1970) less its monotonic clock, at the start and at the end.
    var wallClockOffset: Int64 = 0
    var wallClockOffsetAtEnd: Int64 = 0
    /// Why the measurement ended early; `nil` if it did not.
    var prematureEnd: String?

    init(opened: MonotonicTime) {
        self.opened = opened
    }

    /// The live frames.
    var live: ArraySlice<ReceivedFrame> { frames[(firstLive ?? frames.count)...] }

    /// Adds the times of decoding.
    mutating func add(_ outcome: DecodingThread.Outcome) {
        for decoded in outcome.frames where frames.indices.contains(decoded.number) {
            frames[decoded.number].decoded = frames[decoded.number].decoded ?? decoded.instant
        }
        firstDecoded = outcome.frames.first?.instant
        skippedUnits = outcome.skipped
    }
}
