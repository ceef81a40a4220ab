/// Tells from the delays of packets whether a queue grows: the trendline filter of Google congestion control (Carlucci et al.,
/// *Analysis and Design of the Google Congestion Control for WebRTC*, 2016; draft-ietf-rmcat-gcc-02, section 5).
///
/// Packets sent within 5 ms are a group, which here is a frame. One difference to GCC: the delay of a group is that of its
/// first packet and not of its last, because frames are sent at once and differ in size, so that the delay of the last packet
/// tells the size. The delays are smoothed, and a line is fitted to the last twenty. Its slope is compared with a threshold
/// that follows the slope slowly, so that the stream neither starves beside TCP nor reacts to noise.
struct DelayTrend: Sendable {
    enum Usage: Hashable, Sendable {
        case normal
        /// The queue grows.
        case overuse
        /// The queue shrinks.
        case underuse
    }

    private(set) var usage = Usage.normal

    /// The first packet of a group: nanoseconds of two different clocks.
    private struct Group {
        var sent: Int64
        var arrival: Int64
    }
    private var current: Group?
    private var previous: Group?

    /// Arrival in milliseconds since the first group, and the smoothed delay then.
    private struct Point {
        var arrival = 0.0
        var delay = 0.0
    }
    private var points = InlineArray<20, Point>(repeating: Point())
    private var groupCount = 0
    /// Milliseconds since the first group, and the delay relative to it.
    private var arrival = 0.0
    private var delay = 0.0
    private var smoothedDelay = 0.0

    private var threshold = 12.5
    private var previousSlope = 0.0
    private var overuseMilliseconds = 0.0
    private var overuseCount = 0

    /// The constants of libwebrtc: `kDefaultTrendlineThresholdGain` and so on.
    private static let gain = 4.0
    private static let mostCountedGroups = 60
    private static let groupNanoseconds: Int64 = 5_000_000

    /// Handles one packet that arrived; times are nanoseconds of the sender's and the receiver's clock.
    mutating func received(sent: Int64, arrival: Int64) {
        guard var group = current else {
            current = Group(sent: sent, arrival: arrival)
            return
        }
        let distance = sent &- group.sent
        // Packets come in the order of sending; a packet that does not belongs to a group that has been taken.
        guard distance >= 0 else { return }
        guard distance > Self.groupNanoseconds else {
            group.arrival = min(group.arrival, arrival)
            current = group
            return
        }
        take(group)
        current = Group(sent: sent, arrival: arrival)
    }

    private mutating func take(_ group: Group) {
        defer { previous = group }
        guard let previous else { return }
        let sentLater = milliseconds(group.sent &- previous.sent)
        let arrivedLater = milliseconds(group.arrival &- previous.arrival)
        // The receiver's clock was set, or nothing was sent for long: what is known is of no use.
        guard sentLater < 3_000, abs(arrivedLater) < 3_000 else { return reset() }
        groupCount = min(groupCount + 1, 1_000_000)
        arrival += arrivedLater
        delay += arrivedLater - sentLater
        smoothedDelay = 0.9 * smoothedDelay + 0.1 * delay
        points[groupCount % points.count] = Point(arrival: arrival, delay: smoothedDelay)
        guard groupCount >= points.count else { return }
        judge(slope(), after: sentLater)
    }

    private mutating func reset() {
        let threshold = threshold
        self = DelayTrend()
        self.threshold = threshold
    }

    /// The slope of the line of least squares through the points, in milliseconds of delay per millisecond.
    private func slope() -> Double {
        var (meanArrival, meanDelay) = (0.0, 0.0)
        for index in points.indices {
            meanArrival += points[index].arrival
            meanDelay += points[index].delay
        }
        meanArrival /= Double(points.count)
        meanDelay /= Double(points.count)
        var (numerator, denominator) = (0.0, 0.0)
        for index in points.indices {
            let distance = points[index].arrival - meanArrival
            numerator += distance * (points[index].delay - meanDelay)
            denominator += distance * distance
        }
        return denominator > 0 ? numerator / denominator : 0
    }

    private mutating func judge(_ slope: Double, after elapsed: Double) {
        let signal = Double(min(groupCount, Self.mostCountedGroups)) * slope * Self.gain
        defer {
            adaptThreshold(to: signal, after: elapsed)
            previousSlope = slope
        }
        if signal > threshold {
            overuseMilliseconds += elapsed
            overuseCount += 1
            guard overuseMilliseconds > 10, overuseCount > 1, slope >= previousSlope else { return }
            (overuseMilliseconds, overuseCount) = (0, 0)
            usage = .overuse
        } else {
            (overuseMilliseconds, overuseCount) = (0, 0)
            usage = signal < -threshold ? .underuse : .normal
        }
    }

    /// Moves the threshold towards the signal: slowly up, very slowly down (draft-ietf-rmcat-gcc-02, section 5.4).
    private mutating func adaptThreshold(to signal: Double, after elapsed: Double) {
        // A sudden large signal is a change of the path, and not noise.
        guard abs(signal) <= threshold + 15 else { return }
        let speed = abs(signal) < threshold ? 0.00018 : 0.01
        threshold += speed * (abs(signal) - threshold) * min(elapsed, 100)
        threshold = min(max(threshold, 6), 600)
    }

    private func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}
