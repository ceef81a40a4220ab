import Media

/// What one session brought: facts with their instants, from which everything else is computed when it is over.
struct Recording: Sendable {
    /// When it began to connect.
    let opened: MonotonicTime
    var connected: MonotonicTime?
    var played: MonotonicTime?
    var firstPacket: MonotonicTime?
    /// When the first whole IDR picture had come.
    var firstDecodable: MonotonicTime?
    var firstDecoded: MonotonicTime?

    /// As the description writes it: `H264`.
    var encodingName = ""
    var videoRate = ClockRate.video
    var audioRate: ClockRate?
    /// In the order of their sequence numbers.
    var frames: [ReceivedFrame] = []
    /// Index of the first frame that is live; the others may belong to a prelude.
    var firstLive: Int?
    var sound: [ReceivedAudio] = []
    var videoReports: [ReceivedReport] = []
    var audioReports: [ReceivedReport] = []

    /// Of all tracks.
    var loss: [LossTracker] = []
    var malformedPackets = 0
    /// RFC 3550's estimate at the end, of live packets of video.
    var jitter: InterarrivalJitter?
    /// Units that the decoder was too slow for.
    var passedOver = 0
    /// Whether there is a decoder for it.
    var isDecoded = false

    /// The shortest from request to answer, in nanoseconds.
    var roundTrip: Int64?
    /// This host's wall clock (since 1970) less its monotonic clock, at the beginning and at the end.
    var wallClockOffset: Int64 = 0
    var wallClockOffsetAtEnd: Int64 = 0
    /// Why it ended before it was enough; `nil` where it did not.
    var prematureEnd: String?

    init(opened: MonotonicTime) {
        self.opened = opened
    }

    /// Frames that count.
    var live: ArraySlice<ReceivedFrame> { frames[(firstLive ?? frames.count)...] }

    /// Writes down which frames were decoded, and when.
    mutating func add(_ outcome: DecodingThread.Outcome) {
        for picture in outcome.pictures where frames.indices.contains(picture.number) {
            frames[picture.number].decoded = frames[picture.number].decoded ?? picture.instant
        }
        firstDecoded = outcome.pictures.first?.instant
        passedOver = outcome.passedOver
    }
}
