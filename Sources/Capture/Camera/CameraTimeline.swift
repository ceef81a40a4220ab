import Media

/// When a camera's frames were captured: the driver's time where it can be believed, else the instant of arrival.
///
/// Times rise by at least a tick of the video clock, whatever the driver says. A pure value.
struct CameraTimeline: Sendable {
    /// A frame cannot have been under way for longer: exposure, USB and the driver together.
    static let longestDelay: Int64 = 1_000_000_000

    /// Frames whose time could not be believed.
    private(set) var jumpCount = 0
    private var lastTicks = Int64.min

    /// The capture time of a frame, in nanoseconds since the epoch on the video clock.
    ///
    /// - Parameters:
    ///   - driver: the driver's time on CLOCK_MONOTONIC; `nil` where it counts on another clock.
    ///   - now: when the frame was taken out of the driver's hands.
    mutating func time(driver: MonotonicTime?, now: MonotonicTime, epoch: MonotonicTime) -> MediaTime {
        let captured = driver.flatMap { Self.isBelievable($0, at: now) ? $0 : nil }
        let time = MediaTime(nanoseconds: (captured ?? now) - epoch, rate: .video)
        let isRising = time.ticks > lastTicks
        if captured == nil && driver != nil || !isRising { jumpCount += 1 }
        lastTicks = isRising ? time.ticks : lastTicks + 1
        return MediaTime(ticks: lastTicks, rate: .video)
    }

    private static func isBelievable(_ driver: MonotonicTime, at now: MonotonicTime) -> Bool {
        driver <= now && now.nanoseconds.subtractingReportingOverflow(driver.nanoseconds).partialValue < longestDelay
            && driver.nanoseconds > 0
    }
}
