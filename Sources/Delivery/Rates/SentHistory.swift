import Media
import RateControl
import Reactor

/// What a connection has been given and what has arrived at its peer during the last samples: how long its queue in the network is, and
/// how fast the path carries. A plain value.
///
/// The kernel's own `tcpi_delivery_rate` does not tell the latter: of a sender that often has nothing to send, as all live streams, it
/// keeps the highest value of all bursts (`tcp_rate_gen` in net/ipv4/tcp_rate.c).
struct SentHistory {
    /// What a sample tells of the time before it.
    struct Recent {
        /// How long bytes wait in the network, in nanoseconds, beside the least round trip: how long the oldest has been under way, or
        /// how long the newest will be.
        var queueTime: Int64 = 0
        /// The rate at which bytes have arrived; `nil` if the path may have had nothing to carry for a part of the last 50 ms.
        var delivered: DataRate?
        /// The share, 0...1, of that time in which the receiver's window stopped the sender.
        var windowLimitedShare = 0.0
    }

    private struct Sample {
        let time: MonotonicTime
        let path: TCPPath

        /// Bytes given to the connection so far.
        var written: UInt64 { path.acknowledgedByteCount &+ path.unacknowledgedByteCount }
        /// Bytes that have arrived so far, those behind a gap included: the path has carried them.
        var arrived: UInt64 { path.acknowledgedByteCount &+ path.selectedByteCount }

        /// Whether the path has had something to carry from then on until `later`.
        func isBusy(until later: Sample) -> Bool { written > later.path.acknowledgedByteCount }
    }

    /// The oldest first.
    private var samples: [Sample] = []

    /// Those of 1.6 s. An older byte has been under way for at least as long.
    private static let maximumCount = 64
    /// A rate is measured over as many intervals at most: at 1 Mbit/s two packets arrive in one, or one or three.
    private static let maximumIntervals = 6
    /// In a shorter time too few packets arrive to tell a rate.
    private static let shortestSpan: Int64 = 50_000_000
    /// By how much longer than the least round trip a byte may be under way on a path without a queue.
    private static let jitter: Int64 = 40_000_000
    /// A path from which nothing has come for longer has perhaps paused, as Wi-Fi does; then what has arrived does not tell what it
    /// carries. At 1 Mbit/s, acknowledgements are 24 ms apart.
    private static let longestSilence: Int64 = 30_000_000

    /// Notes a sample.
    mutating func note(_ path: TCPPath, at now: MonotonicTime) -> Recent {
        let sample = Sample(time: now, path: path)
        defer {
            if samples.count == Self.maximumCount { samples.removeFirst() }
            samples.append(sample)
        }
        guard let former = samples.last, now > former.time else { return Recent() }
        let limited = path.windowLimited &- former.path.windowLimited
        let delivered = delivered(until: sample)
        return Recent(
            queueTime: max(0, transitTime(of: sample, delivered) &- path.leastRoundTrip),
            delivered: delivered, windowLimitedShare: Double(limited) / Double(now - former.time))
    }

    /// How long the oldest byte has been under way, less up to one interval of the samples. If that is too long for a path without a
    /// queue, what has arrived is all that the path carries, and the newest byte arrives when all before it have.
    private func transitTime(of sample: Sample, _ delivered: DataRate?) -> Int64 {
        // What had been written by then is still under way, at least in part.
        guard let oldest = samples.first(where: { $0.isBusy(until: sample) }) else { return 0 }
        let age = sample.time - oldest.time
        guard age > sample.path.leastRoundTrip &+ Self.jitter, sample.path.silence <= Self.longestSilence, let delivered
        else { return age }
        let missing = sample.written - min(sample.written, sample.arrived)
        return max(age, delivered.duration(ofByteCount: Int64(clamping: missing)) ?? age)
    }

    /// The rate of arrival in the last intervals in which the path was busy without a pause; `nil` if it was not for long enough.
    private func delivered(until sample: Sample) -> DataRate? {
        var (later, first) = (sample, Sample?.none)
        for earlier in samples.suffix(Self.maximumIntervals).reversed() {
            guard earlier.isBusy(until: later) else { break }
            (later, first) = (earlier, earlier)
        }
        guard let first, sample.time - first.time >= Self.shortestSpan else { return nil }
        // What had arrived behind a gap is known roughly, so that it may have been less than it seemed.
        let byteCount = sample.arrived - min(sample.arrived, first.arrived)
        return DataRate(byteCount: Int64(clamping: byteCount), nanoseconds: sample.time - first.time)
    }
}
