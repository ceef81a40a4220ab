import Media

/// When a camera's frames were captured: the driver's time where it can be believed, else the instant of arrival.
///
/// A frame was captured after capture began, after the frame before, and before it arrived. How long it waited says nothing:
/// a machine that was stopped for a while finds old frames, and their times are right. Times rise by at least a tick of the
/// video clock, whatever the driver says. A pure value.
struct CameraTimeline: Sendable {
    /// Frames whose time could not be believed.
    private(set) var jumpCount = 0
    private let start: MonotonicTime
    private let epoch: MonotonicTime
    private var lastTicks = Int64.min

    /// - Parameter start: the instant before the device was started.
    init(start: MonotonicTime, epoch: MonotonicTime) {
        self.start = start
        self.epoch = epoch
    }

    /// The capture time of a frame, on the video clock.
    ///
    /// - Parameters:
    ///   - driver: the driver's time on CLOCK_MONOTONIC; `nil` where it counts on another clock.
    ///   - now: when the frame was taken out of the driver's hands.
    mutating func time(driver: MonotonicTime?, now: MonotonicTime) -> MediaTime {
        let arrival = ticks(now)
        let captured = driver.flatMap { $0 >= start && $0 <= now ? ticks($0) : nil }
        let believed = (captured ?? arrival) > lastTicks ? captured : nil
        if driver != nil && believed == nil { jumpCount += 1 }
        lastTicks = max(believed ?? arrival, lastTicks == .min ? .min : lastTicks + 1)
        return MediaTime(ticks: lastTicks, rate: .video)
    }

    private func ticks(_ time: MonotonicTime) -> Int64 { ClockRate.video.ticks(inNanoseconds: time - epoch) }
}
