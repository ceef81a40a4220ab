/// How long a pipe must stay empty before what has come is taken for complete.
///
/// Annex B tells the end of a NAL unit only by the next start code, a frame later. So quiet ends it: 1 ms, where the writer
/// hands over whole units. A writer that pauses inside units is found out by the bytes after a pause: where they begin no
/// NAL unit, they continue one. What is learned:
/// - the first 8 slices end only after 25 ms, so that most such writers are known before anything can be harmed;
/// - where all pieces that were continued had one length (a writer with a buffer), a piece of another length is the last;
/// - else the quiet is a quarter longer than the longest pause inside a unit in the last 5 to 10 seconds;
/// - bytes that fill whole 4096-byte blocks are what C's buffered output hands over in the middle of anything.
struct WriterRhythm: Sendable {
    static let shortest: Int64 = 1_000_000
    static let learning: Int64 = 25_000_000
    static let learningSlices = 8
    /// Shorter pauses are the scheduler's, not the writer's.
    static let pause: Int64 = 250_000
    private static let window: Int64 = 5_000_000_000
    private static let outputBlock = 4096

    private enum PieceLength {
        case unknown
        case constant(Int)
        case varied
    }

    private var longest: Int64 = 0
    private var longestBefore: Int64 = 0
    private var windowStart: Int64 = 0
    private var continued = PieceLength.unknown
    private var slices = 0

    /// A slice's end has been seen, by whichever sign.
    mutating func sliceEnded() { slices = min(slices + 1, Self.learningSlices) }

    /// After `gap` nanoseconds of silence came bytes that continued the NAL unit before, of which `length` bytes had come at once.
    mutating func unitContinued(afterGap gap: Int64, length: Int, at now: Int64) {
        turnWindow(at: now)
        longest = max(longest, gap)
        switch continued {
        case .unknown: continued = .constant(max(length, 1))
        case .constant(let usual) where length % usual != 0: continued = .varied
        default: break
        }
    }

    /// Nanoseconds of silence that end a slice whose last `length` bytes came at once, as the `total`th bytes of all.
    mutating func quiet(length: Int, total: Int, at now: Int64) -> Int64 {
        turnWindow(at: now)
        let gap = max(longest, longestBefore)
        let patient = max(Self.shortest, gap &+ gap / 4 &+ Self.pause)
        if slices < Self.learningSlices || (total > 0 && total % Self.outputBlock == 0) {
            return max(Self.learning, patient)
        }
        guard gap > 0 else { return Self.shortest }
        if case .constant(let usual) = continued, length % usual != 0 { return Self.shortest }
        return patient
    }

    private mutating func turnWindow(at now: Int64) {
        guard now &- windowStart > Self.window else { return }
        longestBefore = now &- windowStart > 2 * Self.window ? 0 : longest
        longest = 0
        windowStart = now
        if longestBefore == 0 { continued = .unknown }
    }
}
