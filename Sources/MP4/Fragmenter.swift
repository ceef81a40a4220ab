import Media

/// Makes fragments of a stream's access units as they come, one per unit, or of several at once (ISO/IEC 14496-12, 8.8).
///
/// There is no buffering: a fragment depends only on earlier units. Each unit has a fragment of its own track alone, so that
/// readers can leave tracks out.
public struct Fragmenter: Sendable {
    /// The tracks that can be carried, and the clocks of their samples.
    private var tracks: [(movie: MovieTrack, clock: SampleClock)]
    /// The number of the next fragment, from 1.
    private var sequenceNumber: UInt32 = 1

    public init(tracks: [Track], parameterSets: ParameterSetPlacement) {
        self.init(tracks.compactMap { MovieTrack($0, parameterSets) })
    }

    init(_ tracks: [MovieTrack]) {
        self.tracks = tracks.map { ($0, SampleClock(hertz: $0.clockRate.hertz)) }
    }

    var movieTracks: [MovieTrack] { tracks.map(\.movie) }

    /// Continues with other tracks. The clocks of those that stay go on, because their clients do.
    mutating func announced(_ movieTracks: [MovieTrack]) {
        let former = tracks
        tracks = movieTracks.map { movie in
            let same = former.first {
                $0.movie.id == movie.id && $0.movie.clockRate == movie.clockRate
            }
            return (movie, same?.clock ?? SampleClock(hertz: movie.clockRate.hertz))
        }
    }

    /// The fragment of a whole unit; `nil` if its track is not carried or nothing of it can be.
    public mutating func fragment(of unit: AccessUnit) -> Fragment? {
        guard let index = tracks.firstIndex(where: { $0.movie.id == unit.track }),
            let run = run(of: CollectionOfOne(unit), on: index)
        else { return nil }
        return numbered(run, captured: unit.captured)
    }

    /// One fragment of several whole units, such as those of a segment: the units of each track in their order, the tracks in the
    /// order of their first unit. `nil` if nothing of them can be carried.
    public mutating func fragment(of units: [AccessUnit]) -> Fragment? {
        var runs: [SampleRun] = []
        var seen: [TrackID] = []
        for unit in units where !seen.contains(unit.track) {
            seen.append(unit.track)
            guard let index = tracks.firstIndex(where: { $0.movie.id == unit.track }) else { continue }
            if let run = run(of: units.filter { $0.track == unit.track }, on: index) { runs.append(run) }
        }
        guard let first = runs.first else { return nil }
        return numbered(first, Array(runs.dropFirst()), captured: first[0].unit.captured)
    }

    private mutating func numbered(_ first: SampleRun, _ rest: [SampleRun] = [], captured: NTPTime?) -> Fragment {
        defer { sequenceNumber &+= 1 }
        return Fragment(sequenceNumber, captured: captured, first, rest)
    }

    /// The samples of units of one track; `nil` if there are none.
    private mutating func run(of units: some Collection<AccessUnit>, on index: Int) -> SampleRun? {
        let framing = tracks[index].movie.framing
        var builder = SampleRunBuilder(tracks[index].movie)
        for unit in units {
            let count = framing.sampleCount(of: unit)
            guard count > 0 else { continue }
            let times = tracks[index].clock.next(
                decodedAt: unit.decodeTime.ticks, lasting: framing.duration(ofSample: count - 1, in: unit),
                following: framing.duration(ofFirst: count - 1, in: unit))
            builder.append(unit, sampleCount: count, times)
        }
        return builder.run
    }

    /// The fragments of whole units for a joining client, before all later fragments of this fragmenter: numbers and decode times
    /// continue into theirs.
    func fastStart(of units: [AccessUnit]) -> [Fragment] {
        var runs: [SampleRun] = []
        var nextDecode: [TrackID: Int64] = [:]
        for unit in units.reversed() {
            if let run = run(of: unit, before: nextDecode[unit.track]) { runs.append(run) }
            nextDecode[unit.track] = unit.decodeTime.ticks
        }
        let first = sequenceNumber &- UInt32(truncatingIfNeeded: runs.count)
        return runs.reversed().enumerated().map { number, run in
            Fragment(first &+ UInt32(truncatingIfNeeded: number), captured: run[0].unit.captured, run)
        }
    }

    /// The samples of a unit of a fast start.
    ///
    /// - Parameter nextDecode: the decode time of the track's next unit, if that is in the fast start, too.
    private func run(of unit: AccessUnit, before nextDecode: Int64?) -> SampleRun? {
        guard let (track, clock) = tracks.first(where: { $0.movie.id == unit.track }) else { return nil }
        let count = track.framing.sampleCount(of: unit)
        guard count > 0 else { return nil }
        let following = track.framing.duration(ofFirst: count - 1, in: unit)
        let duration =
            nextDecode.map { $0 &- unit.decodeTime.ticks &- following }
            ?? track.framing.duration(ofSample: count - 1, in: unit) ?? clock.expectedDuration
        // Decode times end where those of the later fragments continue.
        let times = SampleClock.Times(decode: unit.decodeTime.ticks &- clock.lag, duration: max(1, duration))
        var builder = SampleRunBuilder(track)
        builder.append(unit, sampleCount: count, times)
        return builder.run
    }
}
