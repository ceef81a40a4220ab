/// A program clock reference, PCR (ISO/IEC 13818-1, 2.4.3.5).
struct ClockReference: Hashable, Sendable {
    let time: ProgramTime
    /// Whether the time is discontinuous with the previous references.
    var isDiscontinuity = false
}

/// Decides which packets carry a program clock reference, and its value.
///
/// Each unit of the leading track carries its decode time: the unit is sent as soon as it exists, so a receiver needs no earlier
/// clock. If the leading track is slow (a camera at five frames a second), units of other tracks carry references in between,
/// because the interval must not exceed 100 ms (2.7.2). They must not be later than the next leading unit; the maximum lag of
/// that track is learnt from the stream.
struct ProgramClock: Sendable {
    /// 60 ms: with the duration of an audio frame, the interval stays below 100 ms.
    private static let maximumLag: Int64 = 5_400
    /// 32 ms, the longest audio frame from 32 kHz on: the lag of a track can exceed the observed lag by this much.
    private static let grain: Int64 = 2_880
    /// One second: a track that jumps farther does not move the clock.
    private static let maximumStep: Int64 = 90_000

    /// The last reference.
    private var last: ProgramTime?
    private var lastLeading: ProgramTime?
    private var newestOther: ProgramTime?
    /// Ticks by which leading units come after others that are decoded later.
    private var lag: Int64 = 0

    /// The reference for the first packet of a leading unit; `nil` if the clock has already passed that time.
    mutating func reference(leadingAt time: ProgramTime) -> ClockReference? {
        defer { lastLeading = time }
        if let lastLeading, time <= lastLeading {
            // Decode times ascend, so the source has restarted with another time base.
            (last, newestOther) = (time, nil)
            return ClockReference(time: time, isDiscontinuity: true)
        }
        if let newestOther, newestOther > time { lag = max(lag, newestOther.elapsed(since: time) &+ Self.grain) }
        if let last, time < last { return nil }
        last = time
        return ClockReference(time: time)
    }

    /// The reference for a packet before a unit of another track; `nil` if it is not needed.
    mutating func interimReference(otherAt time: ProgramTime) -> ClockReference? {
        newestOther = max(newestOther ?? time, time)
        guard let last else { return nil }
        let interim = ProgramTime(ticks: time.ticks &- lag)
        guard (Self.maximumLag + 1...Self.maximumStep).contains(interim.elapsed(since: last)) else { return nil }
        self.last = interim
        return ClockReference(time: interim)
    }

    /// A clock of the same stream that has sent no reference yet.
    var restarted: Self {
        var clock = Self()
        clock.lag = lag
        return clock
    }
}
