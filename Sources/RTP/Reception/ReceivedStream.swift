import Media

/// Turns what is received from a publisher or a camera into what a stream needs: announcements of its tracks, and access units.
///
/// Some senders describe the parameter sets of video only in the session description, others only in the stream, and some change
/// them while they send. Here they are taken from both, the tracks are announced when all are known, and keyframes get the sets
/// that they lack. A plain value without a clock, for one thread at a time.
public struct ReceivedStream: Sendable {
    /// What is known of a track before its first packet.
    public enum Format: Hashable, Sendable {
        case described(Track.Format)
        /// H.264 or H.265; the session description lacks the parameter sets, so the stream must carry them.
        case h264InBand
        case h265InBand
        /// AAC in LATM.
        case latm(AAC.StreamMuxConfig)
        /// Decoded and encoded again. Its units are published as they came; what encodes them announces the track.
        case transcoded(TranscodedFormat)
    }

    public enum Output: Sendable {
        /// Announce these tracks before the next unit. Tracks that are encoded again are not among them.
        case announce([Track])
        case publish(AccessUnit)
    }

    private var receiver: StreamReceiver
    private var tracks: [ReceivedTrack]
    private var announced: [Track]?
    private var pending: AccessUnit?
    /// Whether video has lost something since its last complete keyframe, so that players show a damaged frame.
    public private(set) var needsKeyframe = false

    /// - Parameters:
    ///   - tracks: in the order of their identifiers.
    ///   - epoch: of the stream that the units are for.
    ///   - trust: whether the sender's time of day is believed.
    public init(
        _ tracks: [(clockRate: ClockRate, format: Format)], epoch: MonotonicTime, trust: SenderClockTrust = .auto
    ) {
        self.tracks = tracks.enumerated().map {
            ReceivedTrack(TrackID($0.offset), $0.element.clockRate, $0.element.format)
        }
        receiver = StreamReceiver(tracks, epoch: epoch, trust: trust)
    }

    /// When to call ``deadlinePassed(at:)``; `distantFuture` if no packet is missing.
    public var nextDeadline: MonotonicTime { receiver.nextDeadline }

    /// What was lost or malformed on a track.
    public func counts(track: Int) -> DepacketizerCounts { receiver.counts(track: track) }

    /// See ``StreamReceiver/received(_:header:track:arrival:)``.
    public mutating func received(_ payload: RawSpan, header: Header, track: Int, arrival: MonotonicTime) {
        receiver.received(payload, header: header, track: track, arrival: arrival)
    }

    /// When units were captured, and how that is determined.
    public var timeline: ReceptionTimeline { receiver.timeline }

    /// See ``StreamReceiver/received(_:track:arrival:hostOffset:)``.
    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime, hostOffset: Int64) {
        receiver.received(report, track: track, arrival: arrival, hostOffset: hostOffset)
    }

    /// Gives up the packets that have been missing for too long.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        receiver.deadlinePassed(at: now)
    }

    /// What the stream is to do next.
    public mutating func next() -> Output? {
        if let unit = pending.take() { return .publish(unit) }
        while let reception = receiver.next() {
            let unit = tracks[reception.unit.track.index].taken(reception)
            if tracks[unit.track.index].hasParameterSets {
                needsKeyframe = !unit.isKeyframe && (needsKeyframe || !reception.isComplete)
            }
            // New parameters take effect with a keyframe; until then the frames carry them in band.
            let mayChange = unit.isKeyframe && tracks[unit.track.index].hasParameterSets
            if mayChange || announced == nil, let all = formats, all != announced {
                announced = all
                pending = unit
                return .announce(all)
            }
            // What comes before the formats of all tracks are known could not be described to a viewer.
            if announced != nil { return .publish(unit) }
        }
        return nil
    }

    /// The tracks that are not encoded again; `nil` until the formats of all are known.
    private var formats: [Track]? {
        var all: [Track] = []
        for track in tracks where !track.isTranscoded {
            guard let known = track.known else { return nil }
            all.append(known)
        }
        return all
    }
}

/// One track of a received stream, with the parameter sets seen so far.
private struct ReceivedTrack: Sendable {
    private let id: TrackID
    private let clockRate: ClockRate
    private let format: ReceivedStream.Format
    /// For codecs with parameter sets only.
    private var sets: (any ParameterSetTracking)?

    init(_ id: TrackID, _ clockRate: ClockRate, _ format: ReceivedStream.Format) {
        (self.id, self.clockRate, self.format) = (id, clockRate, format)
        sets = format.tracker
    }

    /// The track with its present parameters; `nil` until they are known.
    var known: Track? {
        (sets?.format ?? format.described).map { Track(id: id, clockRate: clockRate, format: $0) }
    }

    var isTranscoded: Bool { if case .transcoded = format { true } else { false } }

    /// Whether its parameters may change while it is sent.
    var hasParameterSets: Bool { sets != nil }

    /// Reads the parameter sets of a unit, and adds the known ones that a keyframe lacks.
    mutating func taken(_ reception: StreamReceiver.Reception) -> AccessUnit {
        let unit = reception.unit
        guard var sets else { return unit }
        let kind = type(of: sets)
        for range in unit.units where kind.isParameterSet(firstByte: unit.bytes[range.lowerBound]) {
            guard sets.observe(Array(unit.bytes[range])), sets.byteCount > Self.setLimit else { continue }
            // No encoder sends so many parameter sets, and each keyframe would carry all of them.
            sets = format.tracker ?? sets
        }
        self.sets = sets
        // A decoder cannot start at a keyframe that lost a packet.
        let isKeyframe = unit.isKeyframe && reception.isComplete
        guard unit.isKeyframe else { return unit }
        return AccessUnit(
            track: unit.track, presentationTime: unit.presentationTime, decodeTime: unit.decodeTime,
            isKeyframe: isKeyframe, nalUnits: sets.completed(unit.units.map { Array(unit.bytes[$0]) }))
    }

    /// The most bytes of parameter sets: many times what encoders send.
    private static let setLimit = 65_536
}

extension ReceivedStream.Format {
    /// The name of the codec in the session description.
    public var encodingName: String {
        switch self {
        case .described(let format): format.codec.facts.encodingName
        case .h264InBand: Codec.h264.facts.encodingName
        case .h265InBand: Codec.h265.facts.encodingName
        case .latm: Codec.aac.facts.encodingName
        case .transcoded(let format): format.encodingName
        }
    }

    /// `nil` if it is not described.
    fileprivate var described: Track.Format? {
        switch self {
        case .described(let format): format
        case .latm(let configuration): .aac(configuration.configuration)
        case .h264InBand, .h265InBand, .transcoded: nil
        }
    }

    /// A tracker that knows what is described; `nil` for codecs without parameter sets.
    fileprivate var tracker: (any ParameterSetTracking)? {
        switch self {
        case .h264InBand: H264.ParameterSetTracker()
        case .h265InBand: H265.ParameterSetTracker()
        case .described(.h264(let sets)): H264.ParameterSetTracker(sets)
        case .described(.h265(let sets)): H265.ParameterSetTracker(sets)
        case .described(.aac), .described(.opus), .described(.g711), .latm, .transcoded: nil
        }
    }
}
