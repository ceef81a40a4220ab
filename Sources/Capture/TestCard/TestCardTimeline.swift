import Codecs
import Media

/// When the test card's pictures and flashes are: whole numbers only, so that picture and sound agree to the sample.
///
/// Pictures lie on a grid that begins at a whole second of the wall clock. A flash begins with the first picture at or
/// after each such second, and the beep with it. All instants are nanoseconds since the stream's epoch.
struct TestCardTimeline: Hashable, Sendable {
    /// How long a flash and a beep last.
    static let flashNanoseconds: Int64 = 80_000_000
    private static let second: Int64 = 1_000_000_000

    var frameRate: VideoEncoder.FrameRate
    /// The instant of picture 0, a whole second of the wall clock; it may lie before the epoch.
    let origin: Int64

    /// The grid on which the wall clock's last whole second before `now` lies.
    ///
    /// - Parameter wallNanoseconds: what the wall clock shows at `now`, since 1970.
    init(frameRate: VideoEncoder.FrameRate, now: Int64, wallNanoseconds: Int64) {
        self.frameRate = frameRate
        origin = now - Self.modulo(wallNanoseconds, Self.second)
    }

    /// When picture `number` is captured.
    func instant(ofFrame number: Int64) -> Int64 {
        origin + span(ofFrames: number, unitsPerSecond: Self.second)
    }

    /// The same as a media time: exact multiples of the pictures' interval.
    func time(ofFrame number: Int64) -> MediaTime {
        let start = ClockRate.video.ticks(inNanoseconds: origin)
        let span = span(ofFrames: number, unitsPerSecond: Int64(ClockRate.video.hertz))
        return MediaTime(ticks: start + span, rate: .video)
    }

    /// The last picture whose instant is not after `instant`; −1 before the origin.
    func lastFrame(at instant: Int64) -> Int64 {
        guard instant >= origin else { return -1 }
        // `denominator` seconds hold `numerator` pictures exactly.
        let (rate, cycle) = (Int64(frameRate.numerator), Int64(frameRate.denominator) * Self.second)
        let (cycles, rest) = (instant - origin).quotientAndRemainder(dividingBy: cycle)
        // Instants are rounded down: the last picture n has n · cycle / rate < rest + 1. rest < 10¹², rate ≤ 10⁶ · 1.001.
        return cycles * rate + ((rest + 1) * rate + cycle - 1) / cycle - 1
    }

    /// When the flash of the second that `instant` lies in begins; `nil` while it is still to come.
    func flashStart(at instant: Int64) -> Int64? {
        let wholeSecond = instant - Self.modulo(instant - origin, Self.second)
        let start = self.instant(ofFrame: lastFrame(at: wholeSecond - 1) + 1)
        return start <= instant ? start : nil
    }

    /// Whether picture `number` shows the flash.
    func isFlash(picture number: Int64) -> Bool {
        let instant = instant(ofFrame: number)
        guard let start = flashStart(at: instant) else { return false }
        return instant - start < Self.flashNanoseconds
    }

    /// How long `count` pictures last, rounded down.
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
