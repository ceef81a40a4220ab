import Media
import RTP

/// The reception of a stream that a peer sends: makes access units of its packets, publishes them, and notices when no media comes
/// any more. Confined to one loop.
public struct StreamReception {
    /// Why it ends.
    public enum End: Hashable, Sendable {
        /// No media has come for this many seconds.
        case silence(seconds: Int)
        /// A transport stream comes of which nothing can be used.
        case unusable(TransportStreamFault)
    }

    /// A peer that sends no media for this many seconds is considered gone: Frigate and MediaMTX wait as long or longer.
    public static let silenceSeconds = 10

    private let input: StreamInput
    private let source: ReceivedStream.Source
    private var received: ReceivedStream
    /// When media came last, or was first expected; `nil` before ``began(at:)``.
    private var lastMedia: MonotonicTime?
    private var silenceNanoseconds: Int64
    /// Whether any packet has come.
    public private(set) var hasMedia = false

    /// - Parameter firstMediaSeconds: how long the first packet may take.
    public init(
        _ source: ReceivedStream.Source, into input: StreamInput, firstMediaSeconds: Int = silenceSeconds
    ) {
        self.input = input
        self.source = source
        silenceNanoseconds = Int64(firstMediaSeconds) * 1_000_000_000
        received = ReceivedStream(source, epoch: input.stream.epoch, trust: input.trust)
        input.begin(source)
    }

    /// When to call ``deadlinePassed(at:)``.
    public var nextDeadline: MonotonicTime { min(received.nextDeadline, silenceDeadline) }

    private var silenceDeadline: MonotonicTime {
        lastMedia.map { MonotonicTime(nanoseconds: $0.nanoseconds &+ silenceNanoseconds) } ?? .distantFuture
    }

    /// Whether video has lost something since its last complete keyframe.
    public var needsKeyframe: Bool { received.needsKeyframe }

    /// The peer begins to send media.
    public mutating func began(at now: MonotonicTime) {
        lastMedia = now
    }

    /// The peer has said that it sends no more. Packets that its last report has overtaken may still come.
    public mutating func peerSaidGoodbye(at now: MonotonicTime) {
        silenceNanoseconds = 1_000_000_000
        lastMedia = lastMedia.map { max($0, now) }
    }

    public mutating func received(_ payload: RawSpan, header: Header, track: Int, arrival: MonotonicTime) {
        if !hasMedia { (hasMedia, silenceNanoseconds) = (true, Int64(Self.silenceSeconds) * 1_000_000_000) }
        if received.received(payload, header: header, track: track, arrival: arrival) {
            lastMedia = max(lastMedia ?? arrival, arrival)
        }
        passOn()
    }

    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime) {
        let wallClock = input.stream.clock.ntpTime(of: arrival).unixNanoseconds
        received.received(report, track: track, arrival: arrival, hostOffset: arrival.nanoseconds &- wallClock)
    }

    /// Notes what has been received so far, for ``StreamInput/status``. Call it every second.
    ///
    /// - Parameters:
    ///   - statistics: of each track.
    ///   - unauthenticCounts: of each track, the packets that have failed the authentication of SRTP; `nil` for tracks without SRTP.
    ///   - roundTrip: to the peer, in nanoseconds; `nil` if it is unknown.
    public mutating func noteStatus(
        _ statistics: [ReceptionStatistics], unauthenticCounts: [Int64?] = [], roundTrip: Int64?
    ) {
        let timeline = received.timeline
        let tracks = zip(source.rtpStreams, statistics).enumerated().map { index, stream in
            let ((codec, clockRate), statistics) = stream
            let counts = received.counts(track: index)
            return ReceptionStatus.Track(
                codec: codec, packetCount: statistics.receivedCount,
                lostCount: counts.lostPackets, reorderedCount: statistics.reorderedCount,
                brokenCount: counts.brokenUnits,
                unauthenticCount: unauthenticCounts.indices.contains(index) ? unauthenticCounts[index] : nil,
                jitter: clockRate.nanoseconds(inTicks: Int64(statistics.jitter)),
                origin: timeline.origin(track: index), drift: timeline.drift(track: index),
                jumpCount: timeline.jumpCount(track: index))
        }
        let status = ReceptionStatus(
            tracks: tracks, leftOut: received.leftOut, senderClockAhead: timeline.senderClockAhead,
            roundTrip: roundTrip)
        input.status = status
        if !input.isClosed { input.stream.captureTimeOrigin = status.origin }
    }

    /// - Returns: why the reception ends now; `nil` if it goes on.
    public mutating func deadlinePassed(at now: MonotonicTime) -> End? {
        if silenceDeadline <= now {
            if hasMedia, let fault = received.fault { return .unusable(fault) }
            return .silence(seconds: Int(silenceNanoseconds / 1_000_000_000))
        }
        received.deadlinePassed(at: now)
        passOn()
        return nil
    }

    private mutating func passOn() {
        while let output = received.next() { input.pass(output) }
    }
}

extension ReceivedStream.Source {
    /// The name of the format and the clock rate of each RTP stream.
    fileprivate var rtpStreams: [(codec: String, clockRate: ClockRate)] {
        switch self {
        case .tracks(let tracks): tracks.map { ($0.format.encodingName, $0.clockRate) }
        case .transportStream: [("MP2T", .video)]
        }
    }
}
