import Media

/// One track of a received stream, with the parameter sets seen so far.
struct ReceivedTrack: Sendable {
    private let id: TrackID
    private let clockRate: ClockRate
    let format: ReceivedStream.Format
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
