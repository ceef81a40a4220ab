import Media

/// Turns what is received from a publisher or a camera into what a stream needs: announcements of its tracks, and access units.
///
/// Some senders describe the parameter sets of video only in the session description, others only in the stream, and some change
/// them while they send. Here they are taken from both, the tracks are announced when all are known, and keyframes get the sets
/// that they lack. A plain value without a clock, for one thread at a time.
public struct ReceivedStream: Sendable {
    /// What comes.
    public enum Source: Hashable, Sendable {
        /// An RTP stream for each track, in the order of their identifiers.
        case tracks([RTPTrack])
        /// One RTP stream with all tracks in an MPEG transport stream (RFC 2250, section 2), which says what they are.
        case transportStream
    }

    /// A track with an RTP stream of its own.
    public struct RTPTrack: Hashable, Sendable {
        public let clockRate: ClockRate
        public let format: Format

        public init(clockRate: ClockRate, format: Format) {
            (self.clockRate, self.format) = (clockRate, format)
        }
    }

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

    /// The receiver of the source; the other is `nil`. An enum would be copied with the open unit for each packet.
    private var receiver: StreamReceiver?
    private var transportStream: TransportStreamReceiver?
    private var tracks: [ReceivedTrack] = []
    private var announced: [Track]?
    private var pending: AccessUnit?
    /// Whether video has lost something since its last complete keyframe, so that players show a damaged frame.
    public private(set) var needsKeyframe = false

    /// - Parameters:
    ///   - epoch: of the stream that the units are for.
    ///   - trust: whether the sender's time of day is believed.
    public init(_ source: Source, epoch: MonotonicTime, trust: SenderClockTrust = .auto) {
        switch source {
        case .tracks(let tracks):
            self.tracks = tracks.enumerated().map {
                ReceivedTrack(TrackID($0.offset), $0.element.clockRate, $0.element.format)
            }
            receiver = StreamReceiver(tracks, epoch: epoch, trust: trust)
        case .transportStream: transportStream = TransportStreamReceiver(epoch: epoch)
        }
    }

    /// When to call ``deadlinePassed(at:)``; `distantFuture` if nothing is waited for.
    public var nextDeadline: MonotonicTime {
        receiver?.nextDeadline ?? transportStream?.nextDeadline ?? .distantFuture
    }

    /// What was lost or malformed on an RTP stream.
    public func counts(track: Int) -> DepacketizerCounts {
        receiver?.counts(track: track) ?? transportStream?.counts ?? DepacketizerCounts()
    }

    /// Why no units come of what is received; `nil` if nothing is wrong with it.
    public var fault: TransportStreamFault? { transportStream?.fault }

    /// The names of what the program of a transport stream contains and is not received.
    public var leftOut: [String] { transportStream?.leftOut ?? [] }

    /// The name that a transport stream gives its program, as its sender wrote it; `nil` if it gives none.
    public var serviceName: String? { transportStream?.serviceName }

    /// See ``StreamReceiver/received(_:header:track:arrival:)``.
    ///
    /// - Parameter track: the number of the RTP stream.
    /// - Returns: whether media has come. The packets of a transport stream may have only tables and padding.
    @discardableResult
    public mutating func received(_ payload: RawSpan, header: Header, track: Int, arrival: MonotonicTime) -> Bool {
        receiver?.received(payload, header: header, track: track, arrival: arrival)
        return transportStream?.received(payload, header: header, arrival: arrival) ?? true
    }

    /// Bytes of a transport stream have come that are not in RTP, in the order in which they were sent.
    ///
    /// - Parameters:
    ///   - missing: messages of the transport that are missing before them, for example of SRT.
    ///   - arrival: must not go back.
    /// - Returns: whether media has come, and not only tables, padding or other streams.
    @discardableResult
    public mutating func received(_ bytes: RawSpan, missing: Int, arrival: MonotonicTime) -> Bool {
        transportStream?.received(bytes, missing: missing, arrival: arrival) ?? false
    }

    /// When units were captured, and how that is determined.
    public var timeline: ReceptionTimeline {
        receiver?.timeline ?? transportStream?.timeline ?? ReceptionTimeline(clockRates: [])
    }

    /// See ``StreamReceiver/received(_:track:arrival:hostOffset:)``. The reports of a transport stream say nothing of its units.
    public mutating func received(_ report: SenderReport, track: Int, arrival: MonotonicTime, hostOffset: Int64) {
        receiver?.received(report, track: track, arrival: arrival, hostOffset: hostOffset)
    }

    /// Gives up what has been missing for too long.
    public mutating func deadlinePassed(at now: MonotonicTime) {
        receiver?.deadlinePassed(at: now)
        transportStream?.deadlinePassed(at: now)
    }

    /// What the stream is to do next.
    public mutating func next() -> Output? {
        if let unit = pending.take() { return .publish(unit) }
        while let reception = nextReception() {
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

    private mutating func nextReception() -> StreamReceiver.Reception? {
        if receiver != nil { return receiver?.next() }
        while let output = transportStream?.next() {
            switch output {
            case .tracks(let formats): begin(formats)
            case .unit(let reception): return reception
            }
        }
        return nil
    }

    /// The tracks of a transport stream are known, or have changed.
    private mutating func begin(_ formats: [Format]) {
        guard formats != tracks.map(\.format) else { return }
        tracks = formats.enumerated().map { index, format in
            let known = tracks.indices.contains(index) ? tracks[index] : nil
            return known.flatMap { $0.format == format ? $0 : nil }
                ?? ReceivedTrack(TrackID(index), format.clockRate, format)
        }
        announced = nil
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

    /// The usual rate of its clock.
    var clockRate: ClockRate {
        switch self {
        case .described(let format): format.clockRate
        case .h264InBand, .h265InBand: .video
        case .latm(let configuration): configuration.configuration.sampleRate
        case .transcoded(let format): format.clockRate
        }
    }

    /// `nil` if it is not described.
    var described: Track.Format? {
        switch self {
        case .described(let format): format
        case .latm(let configuration): .aac(configuration.configuration)
        case .h264InBand, .h265InBand, .transcoded: nil
        }
    }

    /// A tracker that knows what is described; `nil` for codecs without parameter sets.
    var tracker: (any ParameterSetTracking)? {
        switch self {
        case .h264InBand: H264.ParameterSetTracker()
        case .h265InBand: H265.ParameterSetTracker()
        case .described(.h264(let sets)): H264.ParameterSetTracker(sets)
        case .described(.h265(let sets)): H265.ParameterSetTracker(sets)
        case .described(.aac), .described(.opus), .described(.g711), .latm, .transcoded: nil
        }
    }
}
