import Media

/// Maps a file's times to the stream's clock, with strictly increasing decode times per track and a regular audio cadence.
struct FileTimeline {
    /// The stream clock minus the file's timeline, in nanoseconds.
    private var base: Int64
    private var lastDecode: [TrackID: Int64] = [:]
    /// The duration of the last unit of each track in ticks.
    private var lastDuration: [TrackID: Int64] = [:]

    /// Maps the file's time 0 to `origin` on the stream's clock.
    init(origin: Int64) {
        base = origin
    }

    /// When to send the unit, in nanoseconds on the stream's clock.
    func due(_ unit: TimedUnit) -> Int64 { unit.decode &+ base }

    /// Delays all following units, because the source was late.
    mutating func slip(by nanoseconds: Int64) { base = base &+ nanoseconds }

    /// Maps the unit's decode time to an instant on the stream's clock.
    mutating func align(_ unit: TimedUnit, to instant: Int64) { base = instant &- unit.decode }

    /// The access unit with its times in ticks of its track.
    mutating func place(_ unit: TimedUnit, on track: Track) -> AccessUnit {
        var decode = ticks(unit.decode, track.clockRate)
        var presentation = max(decode, ticks(unit.presentation, track.clockRate))
        if let last = lastDecode[unit.track] {
            let duration = lastDuration[unit.track] ?? 0
            // Containers round times; the error is at most a quarter of an audio unit.
            let expected = last &+ duration
            if track.kind == .audio, abs(decode &- expected) <= duration / 4 { decode = expected }
            decode = max(decode, last &+ 1)
        }
        presentation = track.kind == .audio ? decode : max(decode, presentation)
        lastDecode[unit.track] = decode
        lastDuration[unit.track] = Self.nearestTicks(unit.duration, track.clockRate)
        var placed = AccessUnit(
            track: unit.track, presentationTime: MediaTime(ticks: presentation, rate: track.clockRate),
            decodeTime: MediaTime(ticks: decode, rate: track.clockRate), isKeyframe: unit.isKeyframe,
            nalUnits: unit.units)
        placed.encodeTiming = unit.encodeTiming
        return placed
    }

    /// Rounds to the nearest tick, because containers' times are fractions and nanoseconds truncate them.
    private func ticks(_ nanoseconds: Int64, _ rate: ClockRate) -> Int64 {
        Self.nearestTicks(nanoseconds &+ base, rate)
    }

    private static func nearestTicks(_ nanoseconds: Int64, _ rate: ClockRate) -> Int64 {
        rate.ticks(inNanoseconds: nanoseconds &+ 500_000_000 / Int64(rate.hertz))
    }
}
