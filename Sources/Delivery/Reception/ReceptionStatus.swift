import Media

/// What is received of a stream, for `apus status`.
public struct ReceptionStatus: Hashable, Sendable {
    public struct Track: Hashable, Sendable {
        /// The codec, or `MP2T` for a transport stream, as session descriptions name it.
        public let codec: String
        public let packetCount: Int64
        /// Packets that never came.
        public let lostCount: Int
        /// Packets that came after a later one.
        public let reorderedCount: Int64
        /// Access units of which a part is missing.
        public let brokenCount: Int
        /// Packets that have failed the authentication of SRTP; `nil` without SRTP.
        public let unauthenticCount: Int64?
        /// The interarrival jitter (RFC 3550, section 6.4.1), in nanoseconds.
        public let jitter: Int64
        public let origin: CaptureTimeOrigin
        /// By how much faster the track's clock advances than the host's, in parts per million; `nil` in the first half minute.
        public let drift: Double?
        /// How often its timestamps jumped.
        public let jumpCount: Int
    }

    /// Of each RTP stream.
    public let tracks: [Track]
    /// The names of what a transport stream contains and is not received.
    public let leftOut: [String]
    /// By how many nanoseconds the sender's time of day is ahead of the host's, less the least delay on the way; `nil` without
    /// sender reports.
    public let senderClockAhead: Int64?
    /// The round-trip time to the peer in nanoseconds. Capture times that count from the arrival are late by less than this;
    /// `nil` if it is unknown.
    public let roundTrip: Int64?

    init(tracks: [Track], leftOut: [String], senderClockAhead: Int64?, roundTrip: Int64?) {
        (self.tracks, self.leftOut) = (tracks, leftOut)
        (self.senderClockAhead, self.roundTrip) = (senderClockAhead, roundTrip)
    }

    /// The status of a publisher that sends no RTP, such as one over RTMP. Capture times count from the arrival of its messages.
    ///
    /// - Parameters:
    ///   - units: the codec of each track, and how many access units have come.
    ///   - lostCount: packets that never came, of whichever track; they are counted at the first one.
    ///   - leftOut: the names of what comes and is not received.
    public init(
        units: [(codec: String, count: Int64)], lostCount: Int = 0, leftOut: [String] = [], roundTrip: Int64?
    ) {
        let tracks = units.enumerated().map { index, unit in
            Track(
                codec: unit.codec, packetCount: unit.count, lostCount: index == 0 ? lostCount : 0, reorderedCount: 0,
                brokenCount: 0,
                unauthenticCount: nil, jitter: 0, origin: .arrival, drift: nil, jumpCount: 0)
        }
        self.init(tracks: tracks, leftOut: leftOut, senderClockAhead: nil, roundTrip: roundTrip)
    }

    /// How the capture times are determined, by the track of which the least is known.
    public var origin: CaptureTimeOrigin {
        [.arrival, .senderReports].first { origin in tracks.contains { $0.origin == origin } } ?? .senderClock
    }
}
