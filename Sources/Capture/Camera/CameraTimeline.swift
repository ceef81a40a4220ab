import Media

/// Computes when a camera's frames were captured: from the driver's time if it is plausible, otherwise from the arrival.
///
/// A frame was captured after capture began, after the previous frame, and before it arrived. The delay until it arrived is not
/// checked: after the machine was suspended, old frames arrive with correct times.
///
/// Some drivers stamp a frame with a time that is still in the future: vivid delivers a frame nine tenths of an
/// interval before the time that it is stamped with. If times run ahead by at most one interval, all times are reduced by the
/// largest lead seen so far. This keeps the driver's regular spacing, which arrival times do not have. Times rise by at least one
/// tick of the video clock, whatever the driver says. A pure value.
struct CameraTimeline: Sendable {
    /// The number of frames with an implausible driver time.
    private(set) var implausibleTimeCount = 0
    private let start: MonotonicTime
    private let epoch: MonotonicTime
    /// The frame interval in nanoseconds.
    private let interval: Int64
    /// The largest lead of the driver's times over the arrivals of their frames, in nanoseconds.
    private var lead: Int64 = 0
    private var lastTicks = Int64.min

    /// - Parameters:
    ///   - start: the instant before the device was started.
    ///   - interval: the frame interval that the driver has accepted.
    init(start: MonotonicTime, epoch: MonotonicTime, interval: FrameInterval) {
        self.start = start
        self.epoch = epoch
        self.interval = interval.nanoseconds
    }

    /// The capture time of a frame, on the video clock.
    ///
    /// - Parameters:
    ///   - driver: the driver's time on CLOCK_MONOTONIC; `nil` if the driver uses another clock.
    ///   - now: when the frame was dequeued.
    mutating func time(driver: MonotonicTime?, now: MonotonicTime) -> MediaTime {
        let arrival = ticks(now)
        let captured = driver.flatMap { captureTime(driver: $0, now: now) }.map(ticks)
        let plausibleTicks = (captured ?? arrival) > lastTicks ? captured : nil
        if driver != nil && plausibleTicks == nil { implausibleTimeCount += 1 }
        lastTicks = max(plausibleTicks ?? arrival, lastTicks == .min ? .min : lastTicks + 1)
        return MediaTime(ticks: lastTicks, rate: .video)
    }

    /// The corrected driver time, never after `now`; `nil` if the driver's time is impossible.
    private mutating func captureTime(driver: MonotonicTime, now: MonotonicTime) -> MonotonicTime? {
        guard driver >= start, driver <= now + interval else { return nil }
        lead = max(lead, driver - now)
        return driver + -lead
    }

    private func ticks(_ time: MonotonicTime) -> Int64 { ClockRate.video.ticks(inNanoseconds: time - epoch) }
}

extension FrameInterval {
    /// Rounded down: both parts have 32 bits, so the product stays under 2⁶².
    fileprivate var nanoseconds: Int64 { Int64(numerator) * 1_000_000_000 / Int64(denominator) }
}
