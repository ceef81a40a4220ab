import Media

/// An instant of the program's clock, in ticks of 90 kHz: what PTS, DTS and PCR count (ISO/IEC 13818-1, 2.4.2.1 and 2.4.3.7).
struct ProgramTime: Hashable, Comparable, Sendable {
    let ticks: Int64

    init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The instant ten seconds after `time`: a decode time a little before the epoch is no number near the wrap.
    init(_ time: MediaTime) {
        ticks = time.at90kHz.ticks &+ 900_000
    }

    /// The 33 bits on the wire, which wrap after 26.5 hours.
    var field: UInt64 { UInt64(truncatingIfNeeded: ticks) & 0x1_FFFF_FFFF }

    /// Ticks from `earlier` to here. Wraps where a source leaps by more than any clock runs.
    func elapsed(since earlier: Self) -> Int64 { ticks &- earlier.ticks }

    static func < (left: Self, right: Self) -> Bool { left.ticks < right.ticks }
}

extension MediaTime {
    /// The same instant in ticks of 90 kHz, rounded down: exact, which the way through nanoseconds is not.
    public var at90kHz: MediaTime {
        guard rate != .video else { return self }
        let hertz = Int64(rate.hertz)
        var (seconds, rest) = ticks.quotientAndRemainder(dividingBy: hertz)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + hertz) }
        // rest < hertz < 2³¹, so the product stays under 2⁴⁸.
        return MediaTime(ticks: seconds &* 90_000 &+ rest * 90_000 / hertz, rate: .video)
    }
}
