import Media

/// Puts a file's units on the stream's clock: strictly increasing decoding times for each track, sound at its own cadence.
struct FileTimeline {
    /// Stream clock minus file timeline.
    private var base: Int64
    private var lastDecode: [TrackID: Int64] = [:]
    /// A container's rounded times lie this close to the true ones: a quarter of a unit of sound.
    private static let tolerance = Int64(AAC.samplesPerAccessUnit / 4)

    /// The instant on the stream's clock at which the file's origin is due.
    init(origin: Int64) {
        base = origin
    }

    /// When the unit is to be sent, in nanoseconds on the stream's clock.
    func due(_ unit: TimedUnit) -> Int64 { unit.decode &+ base }

    /// The source was late by so much: all that follows comes later.
    mutating func slip(by nanoseconds: Int64) { base = base &+ nanoseconds }

    /// The unit with its times in ticks of its track.
    mutating func place(_ unit: TimedUnit, on track: Track) -> AccessUnit {
        var decode = ticks(unit.decode, track.clockRate)
        var presentation = max(decode, ticks(unit.presentation, track.clockRate))
        if let last = lastDecode[unit.track] {
            let expected = last &+ Int64(AAC.samplesPerAccessUnit)
            if track.kind == .audio, abs(decode &- expected) <= Self.tolerance { decode = expected }
            decode = max(decode, last &+ 1)
        }
        presentation = track.kind == .audio ? decode : max(decode, presentation)
        lastDecode[unit.track] = decode
        var placed = AccessUnit(
            track: unit.track, presentationTime: MediaTime(ticks: presentation, rate: track.clockRate),
            decodeTime: MediaTime(ticks: decode, rate: track.clockRate), isKeyframe: unit.isKeyframe,
            nalUnits: unit.units)
        placed.encodeTiming = unit.encodeTiming
        return placed
    }

    /// Rounded to the nearest tick: containers' times are fractions that nanoseconds cut.
    private func ticks(_ nanoseconds: Int64, _ rate: ClockRate) -> Int64 {
        rate.ticks(inNanoseconds: nanoseconds &+ base &+ 500_000_000 / Int64(rate.hertz))
    }
}
