import Media

/// The times of a publisher's messages on the clock of the stream.
///
/// Audio and video have one clock of milliseconds, modulo 2³². The first message is given the time of its arrival; all others keep their
/// distance from it. If the publisher's clock jumps, such as on devices that begin again at 0, the next message has the time of its
/// arrival again.
struct TagClock: Sendable {
    /// Steps between messages that do not count as a jump, in milliseconds: streams are interleaved within less than three seconds,
    /// and a pause may be long.
    private static let usualSteps: ClosedRange<Int64> = -3_000...10_000

    private let epoch: MonotonicTime
    private var last: UInt32?
    /// The time of the last message, and the latest time of any, in milliseconds since the epoch.
    private var time: Int64 = 0
    private var latest: Int64 = .min

    init(epoch: MonotonicTime) {
        self.epoch = epoch
    }

    /// The decode time of a message in milliseconds since the epoch.
    mutating func milliseconds(of timestamp: UInt32, arrival: MonotonicTime) -> Int64 {
        let step = last.map { Int64(Int32(bitPattern: timestamp &- $0)) }
        last = timestamp
        if let step, Self.usualSteps.contains(step) {
            time += step
        } else {
            let now = (arrival - epoch) / 1_000_000
            time = max(now, latest == .min ? now : latest + 1)
        }
        latest = max(latest, time)
        return time
    }
}

/// The times of the audio frames of one track in ticks of its clock.
///
/// Milliseconds are too coarse for audio: frames of 1 024 samples at 48 kHz come every 21.33 ms. So frames are counted by their samples as
/// long as the publisher's times agree.
struct AudioFrameClock: Sendable {
    /// How far the publisher's times may be from the count, in milliseconds: they are rounded, and some encoders round twice.
    private static let tolerance: Int64 = 3

    private var next: Int64?

    /// The time of a frame of `sampleCount` ticks.
    mutating func ticks(milliseconds: Int64, sampleCount: Int, _ rate: ClockRate) -> Int64 {
        let stated = rate.ticks(inNanoseconds: milliseconds * 1_000_000)
        let tolerance = rate.ticks(inNanoseconds: Self.tolerance * 1_000_000)
        let counted = next ?? stated
        let ticks = abs(counted - stated) <= tolerance ? counted : stated
        next = ticks + Int64(sampleCount)
        return ticks
    }
}
