/// Learns how long a pipe must stay empty before the last NAL unit counts as complete.
///
/// In Annex B format, only the next start code ends a NAL unit, one frame later. To avoid that delay, a pause ends it: 1 ms if
/// the writer writes whole units. If a writer pauses inside units, the bytes after a pause show it, because they continue a NAL
/// unit instead of starting one. Rules:
/// - The first 8 slices end only after 25 ms, so most such writers are recognised before a unit is damaged.
/// - If the pieces before pauses inside units all have one length or multiples of it (a writer with a buffer), a piece of any
///   other length ends its unit. Two exceptions in close succession are tolerated, because of scheduling; lastingly one in 65.
/// - Otherwise the pause must be an eighth and 0.25 ms longer than the longest pause inside a unit in the last 2 to 4 seconds.
/// - If the pipe has delivered a multiple of 4096 bytes, the end says nothing about units: C's buffered output ends there, and a
///   full pipe, until its writer is scheduled again. Then the pause must last at least 250 ms. One unit in 4096 ends there by
///   chance.
struct WriterTiming: Sendable {
    static let minimumPause: Int64 = 1_000_000
    static let learningPause: Int64 = 25_000_000
    static let learningSlices = 8
    /// Shorter pauses come from the scheduler, not from the writer.
    static let schedulerNoise: Int64 = 250_000
    private static let window: Int64 = 2_000_000_000
    private static let outputBlock = 4096
    /// On a busy machine, a writer that found the pipe full took more than 25 ms to be scheduled again.
    private static let blockPatience: Int64 = 250_000_000
    /// A shorter common length is ignored, because too many whole units would be multiples of it by chance.
    private static let shortestPiece = 16
    /// The largest `misfit` at which `commonLength` is used.
    private static let trustedMisfit = 128
    /// The largest `misfit` at which `commonLength` is kept; beyond it, another length is tried.
    private static let maximumMisfit = 192

    private var longestGap: Int64 = 0
    private var longestBefore: Int64 = 0
    private var windowStart: Int64 = 0
    /// The length of which most continued pieces are multiples; 0 before any.
    private var commonLength = 0
    /// Grows by 64 for each piece that is not a multiple of `commonLength`, shrinks by 1 for each that is.
    private var misfit = 0
    private var slices = 0

    /// The end of a slice was found, by any rule.
    mutating func sliceEnded() { slices = min(slices + 1, Self.learningSlices) }

    /// After a pause of `gap` nanoseconds, bytes continued the NAL unit before it; `length` bytes had come at once before the
    /// pause.
    mutating func unitContinued(afterGap gap: Int64, length: Int, at now: Int64) {
        turnWindow(at: now)
        longestGap = max(longestGap, gap)
        if commonLength > 0 && length % commonLength == 0 {
            misfit = max(0, misfit - 1)
        } else if commonLength == 0 || misfit > Self.maximumMisfit {
            // Tries another length: the first is trusted after 4 pieces, a later one after 64.
            misfit = Self.trustedMisfit + (commonLength == 0 ? 4 : 64)
            commonLength = max(length, 1)
        } else {
            misfit += 64
        }
    }

    /// The pause in nanoseconds that ends a slice, if its last `length` bytes came at once and `total` bytes have come since the pipe was
    /// opened.
    mutating func quiet(length: Int, total: Int, at now: Int64) -> Int64 {
        turnWindow(at: now)
        let gap = max(longestGap, longestBefore)
        let patient = max(Self.minimumPause, gap &+ gap / 8 &+ Self.schedulerNoise)
        if total > 0 && total % Self.outputBlock == 0 { return max(Self.blockPatience, patient) }
        if slices < Self.learningSlices { return max(Self.learningPause, patient) }
        guard gap > 0 else { return Self.minimumPause }
        guard misfit <= Self.trustedMisfit, commonLength >= Self.shortestPiece else { return patient }
        // Waiting costs little here, because few units end at such a length.
        return length % commonLength == 0 ? max(Self.learningPause, patient) : Self.minimumPause
    }

    private mutating func turnWindow(at now: Int64) {
        guard now &- windowStart > Self.window else { return }
        longestBefore = now &- windowStart > 2 * Self.window ? 0 : longestGap
        longestGap = 0
        windowStart = now
        if longestBefore == 0 { (commonLength, misfit) = (0, 0) }
    }
}
