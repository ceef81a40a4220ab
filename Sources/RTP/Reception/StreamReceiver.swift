import Media

/// Turns the RTP packets of a source into access units with the times of capture and decoding.
///
/// Call ``received(_:header:track:arrival:)`` for each packet and ``received(_:track:arrival:)`` for each sender report, then take
/// units until there are none (``next()``). When ``nextDeadline`` has passed, call ``deadlinePassed(at:)``, and take units again. A
/// plain value without a clock, for one thread at a time.
public struct StreamReceiver: Sendable {
    /// An access unit, and whether all of it arrived.
    public struct Reception: Sendable {
        public let unit: AccessUnit
        /// Whether no packet was lost that may have belonged to it.
        public let isComplete: Bool
    }

    /// How long a missing packet is awaited, in nanoseconds.
    public static let patience = OrderedPackets.patience

    private let epoch: MonotonicTime
    /// When units were captured, and how that is determined.
    public private(set) var timeline: ReceptionTimeline
    private var tracks: [TrackReceiver]

    /// - Parameters:
    ///   - tracks: in the order of their identifiers.
    ///   - epoch: of the stream that the units are for.
    public init(_ tracks: [Track], epoch: MonotonicTime) {
        self.init(
            tracks.map { ReceivedStream.RTPTrack(clockRate: $0.clockRate, format: .described($0.format)) },
            epoch: epoch, trust: .auto)
    }

    /// - Parameter tracks: in the order of their identifiers.
    init(
        _ tracks: [ReceivedStream.RTPTrack], epoch: MonotonicTime, trust: SenderClockTrust
    ) {
        self.epoch = epoch
        self.tracks = tracks.enumerated().map {
            TrackReceiver(TrackID($0.offset), $0.element.clockRate, $0.element.format)
        }
        timeline = ReceptionTimeline(clockRates: tracks.map(\.clockRate), trust: trust)
    }

    /// When to call ``deadlinePassed(at:)``: a packet has been missing for too long then. `distantFuture` if none is missing.
    public var nextDeadline: MonotonicTime { tracks.map(\.nextDeadline).min() ?? .distantFuture }

    /// What was lost or malformed on a track.
    public func counts(track: Int) -> DepacketizerCounts { tracks[track].counts }

    /// A packet has come. If its source (SSRC) is not that of the track's last packet, units of the former source that are not
    /// complete or not taken are lost; `SourceSelection` decides whether a new source is believed.
    ///
    /// - Parameter payload: without padding. It is copied only if an earlier packet is missing.
    public mutating func received(_ payload: RawSpan, header: Header, track: Int, arrival: MonotonicTime) {
        if tracks[track].beginsAnotherSource(header.ssrc) { timeline.beginAnew(track: track) }
        tracks[track].received(payload, header: header, arrival: arrival)
    }

    /// A sender report of a track has come.
    ///
    /// - Parameter hostOffset: the host's monotonic time when its wall clock showed 0, in nanoseconds.
    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime, hostOffset: Int64) {
        timeline.received(report, track: track, arrival: arrival, hostOffset: hostOffset)
    }

    /// Gives up the packets that have been missing for too long.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        for index in tracks.indices { tracks[index].giveUpMissing(at: now) }
    }

    /// The next access unit of any track; those of one track come in decoding order.
    public mutating func next() -> Reception? {
        for index in tracks.indices {
            guard let (unit, arrival) = tracks[index].next() else { continue }
            let jumps = timeline.jumpCount
            let captured = timeline.capture(of: unit.rtpTimestamp, track: index, arrival: arrival)
            if timeline.jumpCount != jumps { tracks[index].beginAnew() }
            return tracks[index].reception(of: unit, captured: captured - epoch, arrival: arrival - epoch)
        }
        return nil
    }
}
