import Media

/// A track of video and the audio that belongs to it, which are published as one stream.
///
/// FLV does not say how many tracks a stream has. So the tracks are announced with the first frame for which all kinds are known that the
/// metadata promises (video and audio if there is none), at the latest after a second. Frames before that are kept. The tracks are
/// announced again if one comes later or changes its format.
struct TrackGroup: Sendable {
    /// How long tracks that are not there yet are waited for.
    private static let gatheringMilliseconds: Int64 = 1_000

    /// The most frames that wait for the announcement: many times those of a second.
    private static let maximumHeldCount = 1_024

    /// The number of its track of video, by which its outputs are known.
    let number: TrackNumber
    /// The most bytes of frames that wait for the announcement.
    private let maximumHeldByteCount: Int
    private var formats: [Codec.Kind: Track.Format] = [:]
    private var isAnnounced = false
    private var held: [(kind: Codec.Kind, unit: AccessUnit)] = []
    private var heldByteCount = 0
    /// When the tracks are announced even if a kind is missing; `nil` before the first track and after the announcement.
    private(set) var deadline: MonotonicTime?

    init(_ number: TrackNumber, maximumHeldByteCount: Int) {
        (self.number, self.maximumHeldByteCount) = (number, maximumHeldByteCount)
    }

    /// A track has come, or has another configuration.
    mutating func configured(
        _ kind: Codec.Kind, _ format: Track.Format, arrival: MonotonicTime, _ outputs: inout [TagReader.Output]
    ) {
        // Frames that wait for the announcement may have another clock.
        held.removeAll { $0.kind == kind }
        heldByteCount = held.reduce(0) { $0 + $1.unit.bytes.count }
        formats[kind] = format
        if isAnnounced {
            announce(&outputs)
        } else if deadline == nil {
            deadline = arrival.advanced(byMilliseconds: Self.gatheringMilliseconds)
        }
    }

    /// A keyframe uses other parameter sets.
    mutating func changed(_ kind: Codec.Kind, to format: Track.Format, _ outputs: inout [TagReader.Output]) {
        formats[kind] = format
        if isAnnounced { announce(&outputs) }
    }

    mutating func received(
        _ unit: AccessUnit, _ kind: Codec.Kind, expecting kinds: Set<Codec.Kind>, _ outputs: inout [TagReader.Output]
    ) {
        if isAnnounced { return outputs.append(.unit(unit.on(id(of: kind)), of: number)) }
        held.append((kind, unit))
        heldByteCount += unit.bytes.count
        let isFull = held.count >= Self.maximumHeldCount || heldByteCount > maximumHeldByteCount
        if isFull || kinds.isSubset(of: formats.keys) { announce(&outputs) }
    }

    /// Time has passed: announces the tracks if the ``deadline`` is over.
    mutating func deadlinePassed(at now: MonotonicTime, _ outputs: inout [TagReader.Output]) {
        if let deadline, now >= deadline { announce(&outputs) }
    }

    /// Video comes first.
    private func id(of kind: Codec.Kind) -> TrackID { TrackID(kind == .audio && formats[.video] != nil ? 1 : 0) }

    private mutating func announce(_ outputs: inout [TagReader.Output]) {
        deadline = nil
        isAnnounced = true
        let tracks = [Codec.Kind.video, .audio].compactMap { kind in
            formats[kind].map { Track(id: id(of: kind), format: $0) }
        }
        outputs.append(.tracks(tracks, of: number))
        for (kind, unit) in held { outputs.append(.unit(unit.on(id(of: kind)), of: number)) }
        (held, heldByteCount) = ([], 0)
    }
}
