import Media

/// Estimates from a sound card's timestamps when each of its samples was captured on the host's monotonic clock.
///
/// A card's sample clock is a crystal of its own, which is off by some parts per million and drifts with temperature. A timestamp
/// is taken some time after the sample was captured: this delay jitters and is never negative, so the true line lies below all
/// timestamps. Only the least delayed timestamp of each second is used. An alpha-beta filter fits the line through these: with
/// expanding memory (E. Brookner, Tracking and Kalman Filtering Made Easy, 1.2.10) it starts as the least-squares line, and after
/// half a minute it forgets old values as fast as crystals change.
struct DriftEstimator: Sendable {
    /// In millionths, more than any crystal is off; a larger drift comes from wrong timestamps.
    private static let maximumDrift = 500.0
    /// Residuals beyond 20 ms are not jitter: the line jumps to them.
    private static let maximumResidual = 20_000_000.0
    /// The number of one-second windows that the filter remembers.
    private static let memory = 30

    /// The card's nominal sample rate.
    private let sampleRate: Int
    /// A point of the line; `slope` is in nanoseconds per sample.
    private var anchor: (position: Int64, instant: MonotonicTime, fraction: Double)?
    private var slope: Double
    private var window: Window?
    /// The number of windows that have contributed to the slope.
    private var windowCount = 0
    /// Whether the last second of samples took less than half a second; no sound card does that.
    private(set) var isFasterThanRealTime = false

    /// The timestamps of one second.
    private struct Window {
        let position: Int64
        let instant: MonotonicTime
        /// The distance of the least delayed timestamp from the line, in nanoseconds.
        var residual = Double.infinity
        /// Whether this window starts the line and therefore says nothing about the slope.
        let isFirst: Bool
    }

    init(sampleRate: Int) {
        self.sampleRate = max(1, sampleRate)
        slope = 1e9 / Double(self.sampleRate)
    }

    /// How many millionths the card's clock runs fast; negative if slow.
    var drift: Double { (1e9 / Double(sampleRate) / slope - 1) * 1e6 }

    /// When the sample `position` was captured; `nil` before the first stamp.
    func instant(ofSample position: Int64) -> MonotonicTime? {
        anchor.map { $0.instant + Self.whole($0.fraction + Double(position - $0.position) * slope) }
    }

    /// Samples were lost: the next timestamp starts a line with the same slope.
    mutating func interrupt() {
        anchor = nil
        window = nil
    }

    /// Records that the sample `position` was captured at `instant` or earlier. Positions ascend.
    mutating func observe(sample position: Int64, capturedAt instant: MonotonicTime) {
        guard let line = anchor, var window else { return begin(position, instant) }
        var residual = Double(instant - line.instant) - line.fraction - Double(position - line.position) * slope
        if window.isFirst, residual < 0 {
            // The first timestamp was late by this much.
            anchor?.fraction += residual
            residual = 0
        }
        window.residual = min(window.residual, residual)
        self.window = window
        if position - window.position >= Int64(sampleRate) { close(window, position, instant) }
    }

    private mutating func begin(_ position: Int64, _ instant: MonotonicTime, isFirst: Bool = true) {
        if isFirst { anchor = (position, instant, 0) }
        window = Window(position: position, instant: instant, isFirst: isFirst)
    }

    /// Updates the line with the best timestamp of `window` and starts the next window at `position`.
    private mutating func close(_ window: Window, _ position: Int64, _ instant: MonotonicTime) {
        let span = Double(position - window.position)
        isFasterThanRealTime = Double(instant - window.instant) < span * slope / 2
        moveAnchor(to: position)
        if window.isFirst || abs(window.residual) > Self.maximumResidual {
            anchor?.fraction += window.residual
        } else {
            windowCount = min(windowCount + 1, Self.memory)
            let n = Double(windowCount)
            anchor?.fraction += window.residual * 2 * (2 * n + 1) / ((n + 1) * (n + 2))
            turn(by: window.residual / span * 6 / ((n + 1) * (n + 2)))
        }
        begin(position, instant, isFirst: false)
    }

    /// Moves the anchor along the line. Whole nanoseconds are kept apart, so precision does not decrease over days.
    private mutating func moveAnchor(to position: Int64) {
        guard let line = anchor else { return }
        let distance = line.fraction + Double(position - line.position) * slope
        let whole = Self.whole(distance)
        anchor = (position, line.instant + whole, distance - Double(whole))
    }

    /// `nanoseconds` rounded, and limited to what a clock can reach, because timestamps may be nonsense.
    private static func whole(_ nanoseconds: Double) -> Int64 {
        Int64(min(max(nanoseconds, -4e18), 4e18).rounded())
    }

    private mutating func turn(by change: Double) {
        let nominal = 1e9 / Double(sampleRate)
        let limit = nominal * Self.maximumDrift / 1e6
        slope = min(max(slope + change, nominal - limit), nominal + limit)
    }
}
