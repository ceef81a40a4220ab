import Media

/// Keeps units of audio until they can leave as evenly as they were captured. A plain value.
///
/// An encoder gets the samples in units of another duration. If frames have 10 ms and units 21.3 ms, two or three frames come at once. A
/// browser plays all audio as late as the latest, and keeps as much in reserve. If each frame leaves as late as the latest one of the last
/// second or two, the browser needs no such reserve.
struct EvenRelease {
    private var waiting: [(unit: AccessUnit, due: MonotonicTime)] = []
    /// How much later than their presentation time units have come, at most, in nanoseconds: in this period, and in the one before.
    private var latest = Int64.min
    private var latestBefore = Int64.min
    private var periodEnd = MonotonicTime(nanoseconds: 0)

    private static let period: Int64 = 1_000_000_000
    /// The longest that a unit is kept, in nanoseconds: a unit of AAC at 16 kHz.
    static let longest: Int64 = 64_000_000

    /// Takes a unit.
    ///
    /// - Parameter presentation: its presentation time on the host's clock.
    mutating func add(_ unit: AccessUnit, presentedAt presentation: MonotonicTime, at now: MonotonicTime) {
        if now >= periodEnd { (latestBefore, latest, periodEnd) = (latest, .min, now + Self.period) }
        latest = max(latest, now - presentation)
        let due = min(presentation + max(latest, latestBefore), now + Self.longest)
        waiting.append((unit, max(due, waiting.last?.due ?? due)))
    }

    /// When ``next(at:)`` has a unit; `nil` if none waits.
    var nextDeadline: MonotonicTime? { waiting.first?.due }

    /// The next unit that is due.
    mutating func next(at now: MonotonicTime) -> AccessUnit? {
        guard let first = waiting.first, first.due <= now else { return nil }
        return waiting.removeFirst().unit
    }
}
