import Media
import RateControl

/// What the path to one peer carries, from what libsrt tells of its connection. A plain value; confined to the thread of SRT.
///
/// libsrt sends what it is given at once, and keeps it until the peer has acknowledged it. A path that carries less than is sent shows in the
/// round trip, which has the time in the network's queues. A path that carries nothing shows in the send buffer, which then has more than the
/// media of some round trips. Less than that is no congestion: nothing behind a lost packet is acknowledged before the packet has come, and
/// loss alone does not change the round trip.
struct SRTPath {
    private struct Sample {
        let time: MonotonicTime
        /// Bytes that the peer has acknowledged so far.
        let acknowledged: UInt64
    }

    private var estimator: PathEstimator
    /// The oldest first.
    private var samples: [Sample] = []
    private var leastRoundTrip = LeastRoundTrip()

    /// libsrt acknowledges every 10 ms, and its round trip is smoothed.
    private static let jitter: Int64 = 40_000_000
    /// Round trips until a packet is acknowledged that was lost twice: one as without loss, one for each repair, and one because reports are
    /// repeated late.
    private static let repairRoundTripCount: Int64 = 4
    /// A rate is measured over this many intervals of 50 ms at most.
    private static let mostIntervals = 4

    init(limits: RateLimits) {
        estimator = PathEstimator(limits: limits, repair: .works)
    }

    var estimate: PathEstimate { estimator.estimate }

    mutating func change(_ limits: RateLimits) { estimator.change(limits) }

    /// Notes a sample. Call it every 50 ms.
    ///
    /// - Parameters:
    ///   - takenByteCount: bytes given to libsrt so far.
    ///   - waiting: media time that waits for libsrt, in nanoseconds.
    mutating func observe(
        _ statistics: SRTStatistics, takenByteCount: UInt64, waiting: Int64, at now: MonotonicTime
    ) {
        let least = leastRoundTrip.noted(statistics.roundTrip, at: now)
        let repair = Self.repairRoundTripCount * statistics.roundTrip
        let stall = max(0, statistics.sendBufferDuration - repair - Self.jitter)
        let isBusy = waiting > 0 || stall > 0 || statistics.roundTrip - least > Self.jitter
        let delivered = delivered(takenByteCount, statistics.sendBufferByteCount, isBusy: isBusy, at: now)
        estimator.observed(
            BacklogSample(
                lag: waiting + stall, delivered: delivered, isApplicationLimited: !isBusy,
                roundTripTime: statistics.roundTrip, leastRoundTripTime: least),
            at: now)
    }

    /// The rate at which bytes were acknowledged; `nil` if the path may have had nothing to carry for a part of the time.
    private mutating func delivered(
        _ taken: UInt64, _ bufferedByteCount: Int, isBusy: Bool, at now: MonotonicTime
    ) -> DataRate? {
        let acknowledged = taken - min(taken, UInt64(max(0, bufferedByteCount)))
        guard isBusy else {
            samples = [Sample(time: now, acknowledged: acknowledged)]
            return nil
        }
        defer {
            samples.append(Sample(time: now, acknowledged: acknowledged))
            if samples.count > Self.mostIntervals { samples.removeFirst() }
        }
        // What libsrt has dropped is not acknowledged, but no longer in its buffer either.
        guard let first = samples.first, acknowledged > first.acknowledged else { return nil }
        return DataRate(
            byteCount: Int64(clamping: acknowledged - first.acknowledged), nanoseconds: now - first.time)
    }
}

/// The least round trip of the last 10 to 20 s, which stands for a path without a queue. A plain value.
private struct LeastRoundTrip {
    private var least = Int64.max
    private var leastBefore = Int64.max
    private var periodStart: MonotonicTime?

    private static let period: Int64 = 10_000_000_000

    /// Notes a round trip.
    ///
    /// - Returns: the least one, in nanoseconds.
    mutating func noted(_ roundTrip: Int64, at now: MonotonicTime) -> Int64 {
        let start = periodStart ?? now
        periodStart = start
        if now - start >= Self.period { (leastBefore, least, periodStart) = (least, .max, now) }
        least = min(least, roundTrip)
        return min(least, leastBefore)
    }
}
