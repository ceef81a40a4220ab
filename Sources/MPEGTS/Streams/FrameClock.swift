/// Estimates the times of frames that have none: a PES packet may contain several, and its header may be lost.
struct FrameClock: Hashable, Sendable {
    /// More than this is a pause, in ticks of 90 kHz: a second.
    private static let longestInterval: Int64 = 90_000
    /// 30 frames a second.
    private static let usualInterval: Int64 = 3_000

    private var last: UnitTimes?
    private var interval = usualInterval
    /// Frames since the last one with a time of its own.
    private var estimatedCount: Int64 = 0

    mutating func unitBegan(_ times: UnitTimes) {
        if let last, last.base == times.base {
            let elapsed = times.decode.elapsed(since: last.decode) / (estimatedCount + 1)
            if (1...Self.longestInterval).contains(elapsed) { interval = elapsed }
        }
        (last, estimatedCount) = (times, 0)
    }

    /// The times of the next frame; `nil` before the first one with times.
    mutating func estimate() -> UnitTimes? {
        guard let last else { return nil }
        estimatedCount += 1
        let elapsed = estimatedCount &* interval
        return UnitTimes(
            presentation: ProgramTime(ticks: last.presentation.ticks &+ elapsed),
            decode: ProgramTime(ticks: last.decode.ticks &+ elapsed), base: last.base)
    }
}
