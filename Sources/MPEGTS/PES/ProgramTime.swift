import Media

/// A time of the program's clock in ticks of 90 kHz, as in PTS, DTS and PCR (ISO/IEC 13818-1, 2.4.2.1 and 2.4.3.7).
struct ProgramTime: Hashable, Comparable, Sendable {
    let ticks: Int64

    init(ticks: Int64) {
        self.ticks = ticks
    }

    /// The time ten seconds after `time`, so that a decode time slightly before the epoch is not close to the wrap.
    init(_ time: MediaTime) {
        ticks = time.at90kHz.ticks &+ 900_000
    }

    /// The 33 bits on the wire. They wrap after 26.5 hours.
    var field: UInt64 { UInt64(truncatingIfNeeded: ticks) & 0x1_FFFF_FFFF }

    /// Ticks from `earlier` to this time. Wraps only if a source jumps farther than any clock runs.
    func elapsed(since earlier: Self) -> Int64 { ticks &- earlier.ticks }

    static func < (left: Self, right: Self) -> Bool { left.ticks < right.ticks }
}

/// Counts on where the 33 bits of program times wrap.
struct ProgramTimeUnwrapping: Hashable, Sendable {
    private static let round: Int64 = 1 << 33

    private var last: Int64?

    /// The time of these 33 bits that is at most half a round from the last.
    mutating func unwrap(_ time: ProgramTime) -> ProgramTime {
        guard let last else {
            self.last = time.ticks
            return time
        }
        let forward = (time.ticks &- last) & (Self.round - 1)
        let unwrapped = last &+ (forward < Self.round / 2 ? forward : forward - Self.round)
        self.last = unwrapped
        return ProgramTime(ticks: unwrapped)
    }

    /// Both times of a unit. The decode time is at most half a round from the presentation time.
    mutating func unwrap(_ times: PESHeader.Times, base: Int) -> UnitTimes {
        let presentation = unwrap(times.presentation)
        var copy = self
        return UnitTimes(presentation: presentation, decode: copy.unwrap(times.decode), base: base)
    }
}

extension MediaTime {
    init(_ time: ProgramTime) {
        self.init(ticks: time.ticks, rate: .video)
    }

    /// The time in ticks of 90 kHz, rounded down.
    public var at90kHz: MediaTime { converted(to: .video) }
}
