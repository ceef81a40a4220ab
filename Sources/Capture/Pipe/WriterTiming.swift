/// How long a pipe must stay empty before what has come is taken for complete.
///
/// Annex B tells the end of a NAL unit only by the next start code, a frame later. So quiet ends it: 1 ms, where the writer
/// hands over whole units. A writer that pauses inside units is found out by the bytes after a pause: where they begin no
/// NAL unit, they continue one. What is learned:
/// - the first 8 slices end only after 25 ms, so that most such writers are known before anything can be harmed;
/// - where the pieces that were continued had one length, or multiples of it (a writer with a buffer; 2 in 64 may differ,
///   for the scheduler's sake), a piece of another length is the last;
/// - else the quiet is an eighth longer than the longest pause inside a unit in the last 2 to 4 seconds;
/// - bytes that fill whole 4096-byte blocks are what C's buffered output hands over in the middle of anything, and what a
///   full pipe holds of a writer that waits its turn to go on: one unit in 4096 really ends there, and waits 250 ms at most.
struct WriterTiming: Sendable {
    static let shortest: Int64 = 1_000_000
    static let learning: Int64 = 25_000_000
    static let learningSlices = 8
    /// Shorter pauses are the scheduler's, not the writer's.
    static let pause: Int64 = 250_000
    private static let window: Int64 = 2_000_000_000
    private static let outputBlock = 4096
    /// A writer that finds the pipe full has been seen to need more than 25 ms to be scheduled again on a busy machine.
    private static let blockPatience: Int64 = 250_000_000
    /// Of shorter lengths too many units are multiples.
    private static let shortestPiece = 16
    private static let believed = 128
    private static let varied = 192

    private var longest: Int64 = 0
    private var longestBefore: Int64 = 0
    private var windowStart: Int64 = 0
    /// The length of which continued pieces are multiples, as far as they are; 0 before any.
    private var usualLength = 0
    /// 64 for each piece that was none, less 1 for each that was.
    private var misfit = 0
    private var slices = 0

    /// A slice's end has been seen, by whichever sign.
    mutating func sliceEnded() { slices = min(slices + 1, Self.learningSlices) }

    /// After `gap` nanoseconds of silence came bytes that continued the NAL unit before, of which `length` bytes had come at once.
    mutating func unitContinued(afterGap gap: Int64, length: Int, at now: Int64) {
        turnWindow(at: now)
        longest = max(longest, gap)
        if usualLength > 0 && length % usualLength == 0 {
            misfit = max(0, misfit - 1)
        } else if usualLength == 0 || misfit > Self.varied {
            // Another guess: the first is believed after 4 pieces, a later one after 64.
            misfit = Self.believed + (usualLength == 0 ? 4 : 64)
            usualLength = max(length, 1)
        } else {
            misfit += 64
        }
    }

    /// Nanoseconds of silence that end a slice whose last `length` bytes came at once, as the `total`th bytes of all.
    mutating func quiet(length: Int, total: Int, at now: Int64) -> Int64 {
        turnWindow(at: now)
        let gap = max(longest, longestBefore)
        let patient = max(Self.shortest, gap &+ gap / 8 &+ Self.pause)
        if total > 0 && total % Self.outputBlock == 0 { return max(Self.blockPatience, patient) }
        if slices < Self.learningSlices { return max(Self.learning, patient) }
        guard gap > 0 else { return Self.shortest }
        guard misfit <= Self.believed, usualLength >= Self.shortestPiece else { return patient }
        // Few units end where a piece does: there patience costs little.
        return length % usualLength == 0 ? max(Self.learning, patient) : Self.shortest
    }

    private mutating func turnWindow(at now: Int64) {
        guard now &- windowStart > Self.window else { return }
        longestBefore = now &- windowStart > 2 * Self.window ? 0 : longest
        longest = 0
        windowStart = now
        if longestBefore == 0 { (usualLength, misfit) = (0, 0) }
    }
}
