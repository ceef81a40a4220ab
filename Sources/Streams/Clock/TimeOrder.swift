import Media

/// Keeps the decode times of each track in order, although a substitute or another source continues the stream. A pure value, under
/// the stream's lock.
///
/// The clocks of two sources differ, so the first units of the later one may be some milliseconds older than the last of the former
/// one. Players report a time that goes back, and some drop what follows.
struct TimeOrder {
    private var clocks: [TrackID: TrackClock] = [:]

    /// The last decode time of a track, and how much later than its own time the current unit is, in ticks.
    private struct TrackClock {
        var last: Int64
        var shift: Int64
    }

    /// A time that goes back by more begins a new timeline: the stream would stand still until it had passed the former one.
    static let longestShiftSeconds: Int64 = 2

    /// Announced tracks have times that cannot be compared with those of the former ones.
    mutating func forget() { clocks = [:] }

    /// The unit, later than the one before it in its track.
    mutating func inOrder(_ unit: AccessUnit) -> AccessUnit {
        let time = unit.decodeTime
        var clock = clocks[unit.track] ?? TrackClock(last: time.ticks &- 1, shift: 0)
        // All parts of an access unit have one time.
        if unit.part.isStart {
            let missing = clock.last &+ 1 &- time.ticks
            clock.shift = missing > Self.longestShiftSeconds &* Int64(time.rate.hertz) ? 0 : max(0, missing)
        }
        clock.last = time.ticks &+ clock.shift
        clocks[unit.track] = clock
        guard clock.shift > 0 else { return unit }
        var (presented, decoded) = (unit.presentationTime, time)
        decoded.ticks = clock.last
        presented.ticks = max(presented.ticks, clock.last)
        return unit.at(presentationTime: presented, decodeTime: decoded)
    }
}
