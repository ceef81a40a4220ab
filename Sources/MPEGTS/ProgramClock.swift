/// A program clock reference, PCR (ISO/IEC 13818-1, 2.4.3.5).
struct ClockReference: Hashable, Sendable {
    let time: ProgramTime
    /// Whether the time is another than the one that the references before it counted.
    var isDiscontinuity = false
}

/// Decides which packets tell the program's clock, and what.
///
/// Each unit of the leading track tells its decode time: the unit leaves when it exists, so a receiver needs no earlier
/// clock. Where the leading track is slow (a camera at five frames a second), units of the others tell it in between,
/// because 100 ms may pass at most (2.7.2). They must not tell a time that the next leading unit is behind; how far that
/// track lags at most is learnt from the stream.
struct ProgramClock: Sendable {
    /// 60 ms: with a frame of sound on top, fewer than 100.
    private static let maximumLag: Int64 = 5_400
    /// 32 ms, the longest frame of sound from 32 kHz on: so much more may a track lag than a glance at it shows.
    private static let grain: Int64 = 2_880
    /// One second: a track that leaps farther takes the clock nowhere.
    private static let maximumStep: Int64 = 90_000

    /// The last reference.
    private var last: ProgramTime?
    private var lastLeading: ProgramTime?
    private var newestOther: ProgramTime?
    /// Ticks by which leading units come after others that are decoded later.
    private var lag: Int64 = 0

    /// What the first packet of a unit of the leading track tells; `nil` where the clock has told a later time.
    mutating func reference(leadingAt time: ProgramTime) -> ClockReference? {
        defer { lastLeading = time }
        if let lastLeading, time <= lastLeading {
            // Decode times ascend: this source has started again and counts another time.
            (last, newestOther) = (time, nil)
            return ClockReference(time: time, isDiscontinuity: true)
        }
        if let newestOther, newestOther > time { lag = max(lag, newestOther.elapsed(since: time) &+ Self.grain) }
        if let last, time < last { return nil }
        last = time
        return ClockReference(time: time)
    }

    /// What a packet before a unit of another track tells; `nil` where that is not called for.
    mutating func interimReference(otherAt time: ProgramTime) -> ClockReference? {
        newestOther = max(newestOther ?? time, time)
        guard let last else { return nil }
        let interim = ProgramTime(ticks: time.ticks &- lag)
        guard (Self.maximumLag + 1...Self.maximumStep).contains(interim.elapsed(since: last)) else { return nil }
        self.last = interim
        return ClockReference(time: interim)
    }

    /// A clock that has told nothing yet, of the same stream.
    var restarted: Self {
        var clock = Self()
        clock.lag = lag
        return clock
    }
}
