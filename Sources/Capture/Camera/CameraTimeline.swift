import Media

/// When a camera's frames were captured: the driver's time where it can be believed, else the instant of arrival.
///
/// A frame was captured after capture began, after the frame before, and before it arrived. How long it waited says nothing:
/// a machine that was stopped for a while finds old frames, and their times are right.
///
/// Some drivers stamp a frame with the end of its exposure before that is over: vivid delivers it nine tenths of a frame
/// early. What runs ahead by no more than a frame is taken back by the most that it ever ran ahead: this keeps the driver's
/// regular spacing, which arrivals have not. Times rise by at least a tick of the video clock, whatever the driver says. A
/// pure value.
struct CameraTimeline: Sendable {
    /// Frames whose time could not be believed.
    private(set) var jumpCount = 0
    private let start: MonotonicTime
    private let epoch: MonotonicTime
    /// Nanoseconds from one frame to the next.
    private let interval: Int64
    /// By how many nanoseconds the driver's times have run ahead of their frames' arrivals, at most.
    private var lead: Int64 = 0
    private var lastTicks = Int64.min

    /// - Parameters:
    ///   - start: the instant before the device was started.
    ///   - interval: what was agreed with the driver.
    init(start: MonotonicTime, epoch: MonotonicTime, interval: FrameInterval) {
        self.start = start
        self.epoch = epoch
        self.interval = interval.nanoseconds
    }

    /// The capture time of a frame, on the video clock.
    ///
    /// - Parameters:
    ///   - driver: the driver's time on CLOCK_MONOTONIC; `nil` where it counts on another clock.
    ///   - now: when the frame was taken out of the driver's hands.
    mutating func time(driver: MonotonicTime?, now: MonotonicTime) -> MediaTime {
        let arrival = ticks(now)
        let captured = driver.flatMap { captureTime(driver: $0, now: now) }.map(ticks)
        let believed = (captured ?? arrival) > lastTicks ? captured : nil
        if driver != nil && believed == nil { jumpCount += 1 }
        lastTicks = max(believed ?? arrival, lastTicks == .min ? .min : lastTicks + 1)
        return MediaTime(ticks: lastTicks, rate: .video)
    }

    /// Never after `now`; `nil` where the driver tells a time that cannot be.
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
