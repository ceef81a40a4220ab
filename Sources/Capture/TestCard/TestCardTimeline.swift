import Codecs
import Media

/// Computes the instants of the test card's frames and flashes, in integers only, so that video and audio agree to the sample.
///
/// Frames lie on a grid that begins at a whole second of the wall clock. A flash and its beep begin with the first frame at or
/// after each whole second. All instants are nanoseconds since the stream's epoch.
struct TestCardTimeline: Hashable, Sendable {
    /// The duration of a flash and of a beep.
    static let flashNanoseconds: Int64 = 80_000_000
    private static let second: Int64 = 1_000_000_000

    var frameRate: FrameRate
    /// The instant of frame 0, at a whole second of the wall clock; it may be before the epoch.
    let origin: Int64

    /// The grid that begins at the wall clock's last whole second before `now`.
    ///
    /// - Parameter wallNanoseconds: the wall clock at `now`, since 1970.
    init(frameRate: FrameRate, now: Int64, wallNanoseconds: Int64) {
        self.frameRate = frameRate
        origin = now - Self.modulo(wallNanoseconds, Self.second)
    }

    /// The instant of frame `number`.
    func instant(ofFrame number: Int64) -> Int64 {
        origin + span(ofFrames: number, unitsPerSecond: Self.second)
    }

    /// The same as media time: exact multiples of the frame interval.
    func time(ofFrame number: Int64) -> MediaTime {
        let start = ClockRate.video.ticks(inNanoseconds: origin)
        let span = span(ofFrames: number, unitsPerSecond: Int64(ClockRate.video.hertz))
        return MediaTime(ticks: start + span, rate: .video)
    }

    /// The last frame at or before `instant`; −1 before the origin.
    func lastFrame(at instant: Int64) -> Int64 {
        guard instant >= origin else { return -1 }
        // `denominator` seconds hold exactly `numerator` frames.
        let (rate, cycle) = (Int64(frameRate.numerator), Int64(frameRate.denominator) * Self.second)
        let (cycles, rest) = (instant - origin).quotientAndRemainder(dividingBy: cycle)
        // Instants are rounded down: the last frame n has n · cycle / rate < rest + 1. rest < 10¹², rate ≤ 10⁶ · 1.001.
        return cycles * rate + ((rest + 1) * rate + cycle - 1) / cycle - 1
    }

    /// The start of the flash in the second that contains `instant`; `nil` if it is still to come.
    func flashStart(at instant: Int64) -> Int64? {
        let wholeSecond = instant - Self.modulo(instant - origin, Self.second)
        let start = self.instant(ofFrame: lastFrame(at: wholeSecond - 1) + 1)
        return start <= instant ? start : nil
    }

    /// Whether frame `number` shows the flash.
    func isFlash(frame number: Int64) -> Bool {
        let instant = instant(ofFrame: number)
        guard let start = flashStart(at: instant) else { return false }
        return instant - start < Self.flashNanoseconds
    }

    /// The duration of `count` frames, rounded down.
    private func span(ofFrames count: Int64, unitsPerSecond: Int64) -> Int64 {
        let (rate, denominator) = (Int64(frameRate.numerator), Int64(frameRate.denominator))
        let (cycles, rest) = count.quotientAndRemainder(dividingBy: rate)
        // rest < rate ≤ 1000 · 1001 and the denominator ≤ 1001: the product stays under 2⁶⁰.
        return cycles * denominator * unitsPerSecond + rest * denominator * unitsPerSecond / rate
    }

    private static func modulo(_ value: Int64, _ modulus: Int64) -> Int64 {
        let rest = value % modulus
        return rest < 0 ? rest + modulus : rest
    }
}
