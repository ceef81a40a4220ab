import Media

/// Learns from a sound card's time stamps when each of its samples was captured on the host's monotonic clock.
///
/// A card counts samples by a crystal of its own, which is off by some parts per million and changes with warmth. A time stamp
/// is taken after the sample was captured, sooner or later: the delay jitters and is never negative. So the line sought lies
/// below all stamps. Of each second only the least delayed counts, and the line is led through these by an alpha-beta filter:
/// with its expanding memory (E. Brookner, Tracking and Kalman Filtering Made Easy, 1.2.10) it is the line of least squares
/// at first, and forgets, after half a minute, as fast as crystals change.
struct DriftEstimator: Sendable {
    /// More than any crystal is off, in millionths: what looks like more is stamps that are wrong.
    private static let maximumDrift = 500.0
    /// Residuals beyond 20 ms are no jitter: the line jumps to them.
    private static let maximumResidual = 20_000_000.0
    /// Windows of one second that the line remembers.
    private static let memory = 30

    /// Samples per second by the card's own count.
    private let sampleRate: Int
    /// The line: where it passes, and its slope in nanoseconds per sample.
    private var anchor: (position: Int64, instant: MonotonicTime, fraction: Double)?
    private var slope: Double
    private var window: Window?
    /// Windows that the slope was learnt from.
    private var windowCount = 0
    /// Whether, in the last second of samples, less than half a second passed: this is no sound card.
    private(set) var isFasterThanRealTime = false

    /// The stamps of one second.
    private struct Window {
        let position: Int64
        let instant: MonotonicTime
        /// Nanoseconds by which the least delayed stamp lies above the line.
        var residual = Double.infinity
        /// Whether the line begins here: then there is no slope to learn.
        let isFirst: Bool
    }

    init(sampleRate: Int) {
        self.sampleRate = max(1, sampleRate)
        slope = 1e9 / Double(self.sampleRate)
    }

    /// By how many millionths the card counts too fast; negative where too slow.
    var drift: Double { (1e9 / Double(sampleRate) / slope - 1) * 1e6 }

    /// When the sample `position` was captured; `nil` before the first stamp.
    func instant(ofSample position: Int64) -> MonotonicTime? {
        anchor.map { $0.instant + Self.whole($0.fraction + Double(position - $0.position) * slope) }
    }

    /// Samples were lost: the next stamp begins a line of the same slope.
    mutating func interrupt() {
        anchor = nil
        window = nil
    }

    /// The sample `position` had been captured at `instant`. Positions ascend.
    mutating func observe(sample position: Int64, capturedAt instant: MonotonicTime) {
        guard let line = anchor, var window else { return begin(position, instant) }
        var residual = Double(instant - line.instant) - line.fraction - Double(position - line.position) * slope
        if window.isFirst, residual < 0 {
            // The first stamp was late by that much.
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

    /// Leads the line through the best stamp of `window`, and goes on from where it is at `position`.
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

    /// The same line through another of its points; whole nanoseconds stay apart, so that days cost no precision.
    private mutating func moveAnchor(to position: Int64) {
        guard let line = anchor else { return }
        let distance = line.fraction + Double(position - line.position) * slope
        let whole = Self.whole(distance)
        anchor = (position, line.instant + whole, distance - Double(whole))
    }

    /// `nanoseconds` rounded; what no clock can reach, from stamps that make no sense, is cut off.
    private static func whole(_ nanoseconds: Double) -> Int64 {
        Int64(min(max(nanoseconds, -4e18), 4e18).rounded())
    }

    private mutating func turn(by change: Double) {
        let nominal = 1e9 / Double(sampleRate)
        let limit = nominal * Self.maximumDrift / 1e6
        slope = min(max(slope + change, nominal - limit), nominal + limit)
    }
}
