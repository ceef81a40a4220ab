import Media

/// The times of a publisher's messages on the clock of the stream.
///
/// Audio and video have one clock of milliseconds, modulo 2³². The first message is given the time of its arrival; all others keep their
/// distance from it, except that a ``DriftCorrection`` keeps the publisher's clock to the host's. If the publisher's clock jumps, such as
/// on devices that begin again at 0, the next message has the time of its arrival again.
struct TagClock: Sendable {
    /// Steps between messages that do not count as a jump, in milliseconds: streams are interleaved within less than three seconds,
    /// and a pause may be long.
    private static let usualSteps: ClosedRange<Int64> = -3_000...10_000

    private let epoch: MonotonicTime
    private var last: UInt32?
    /// The time of the last message without the correction.
    private var milliseconds: Int64 = 0
    private var drift = DriftCorrection()
    /// The latest time of any message.
    private var latest: TagTime?

    init(epoch: MonotonicTime) {
        self.epoch = epoch
    }

    /// The decode time of a message.
    ///
    /// - Parameter arrival: must not go back.
    mutating func time(of timestamp: UInt32, arrival: MonotonicTime) -> TagTime {
        let step = last.map { Int64(Int32(bitPattern: timestamp &- $0)) }
        last = timestamp
        if let step, Self.usualSteps.contains(step) {
            milliseconds &+= step
        } else {
            let now = (arrival - epoch) / 1_000_000
            milliseconds = latest.map { max(now, $0.nanoseconds / 1_000_000 + 1) } ?? now
            drift = DriftCorrection()
        }
        drift.received(milliseconds &* 1_000_000, arrival: MonotonicTime(nanoseconds: arrival - epoch))
        let time = TagTime(milliseconds: milliseconds, correction: drift.nanoseconds)
        latest = max(latest ?? time, time)
        return time
    }
}

/// The decode time of a message on the clock of the stream.
///
/// The two parts are separate because frames of audio are counted on the publisher's clock (``AudioFrameClock``): a correction is spread
/// over all of them.
struct TagTime: Hashable, Comparable, Sendable {
    /// The publisher's time, in milliseconds since the epoch.
    let milliseconds: Int64
    /// What is to be added, in nanoseconds.
    let correction: Int64

    /// Nanoseconds since the epoch.
    var nanoseconds: Int64 { milliseconds &* 1_000_000 &+ correction }

    /// Ticks since the epoch.
    func ticks(_ rate: ClockRate) -> Int64 {
        milliseconds &* Int64(rate.hertz) / 1000 &+ rate.ticks(inNanoseconds: correction)
    }

    static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The times of the audio frames of one track in ticks of its clock.
///
/// Milliseconds are too coarse for audio: frames of 1 024 samples at 48 kHz come every 21.33 ms. So frames are counted by their samples as
/// long as the publisher's times agree. The correction is added to the count: it moves a frame of AAC by a sample or two.
struct AudioFrameClock: Sendable {
    /// How far the publisher's times may be from the count, in milliseconds: they are rounded, and some encoders round twice.
    private static let tolerance: Int64 = 3

    private var next: Int64?

    /// The time of a frame of `sampleCount` ticks.
    mutating func ticks(of time: TagTime, sampleCount: Int, _ rate: ClockRate) -> Int64 {
        let stated = rate.ticks(inNanoseconds: time.milliseconds &* 1_000_000)
        let tolerance = rate.ticks(inNanoseconds: Self.tolerance * 1_000_000)
        let counted = next ?? stated
        let ticks = abs(counted - stated) <= tolerance ? counted : stated
        next = ticks + Int64(sampleCount)
        return ticks &+ rate.ticks(inNanoseconds: time.correction)
    }
}
