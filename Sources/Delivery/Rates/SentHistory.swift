import Media
import RateControl

/// What a connection has been given and what its peer has acknowledged during the last samples: how long the oldest byte has been under
/// way, and how fast the path carries. A plain value.
///
/// The kernel's own `tcpi_delivery_rate` does not tell the latter: of a sender that often has nothing to send, as all live streams, it
/// keeps the highest value of all bursts (`tcp_rate_gen` in net/ipv4/tcp_rate.c).
struct SentHistory {
    /// What a sample tells of the time before it.
    struct Recent {
        /// How long the oldest byte that is not acknowledged has been under way, in nanoseconds, less up to one interval of the samples.
        var age: Int64 = 0
        /// The rate at which the peer has acknowledged since the sample before; `nil` if the path may have had nothing to carry for a part of
        /// that time.
        var delivered: DataRate?
        /// The share, 0...1, of that time in which the receiver's window stopped the sender.
        var windowLimitedShare = 0.0
    }

    private struct Sample {
        let time: MonotonicTime
        let acknowledged: UInt64
        /// Bytes given to the connection so far.
        let written: UInt64
        let windowLimited: Int64
    }

    /// The oldest first.
    private var samples: [Sample] = []

    /// Those of 1.6 s. An older byte has been under way for at least as long.
    private static let maximumCount = 32

    /// Notes a sample.
    ///
    /// - Parameters:
    ///   - acknowledged: bytes that the peer has acknowledged so far.
    ///   - unacknowledged: bytes that were written and are not acknowledged.
    ///   - windowLimited: how long the receiver's window has stopped the sender so far, in nanoseconds.
    mutating func note(
        acknowledged: UInt64, unacknowledged: UInt64, windowLimited: Int64 = 0, at now: MonotonicTime
    ) -> Recent {
        let sample = Sample(
            time: now, acknowledged: acknowledged, written: acknowledged &+ unacknowledged,
            windowLimited: windowLimited)
        defer {
            if samples.count == Self.maximumCount { samples.removeFirst() }
            samples.append(sample)
        }
        guard let former = samples.last, now > former.time else { return Recent() }
        var recent = Recent()
        // What had been written by then is still under way, at least in part.
        if let oldest = samples.first(where: { $0.written > acknowledged }) { recent.age = now - oldest.time }
        let elapsed = now - former.time
        if former.written > acknowledged {
            recent.delivered = DataRate(
                byteCount: Int64(clamping: acknowledged &- former.acknowledged), nanoseconds: elapsed)
        }
        let limited = sample.windowLimited &- former.windowLimited
        recent.windowLimitedShare = Double(limited) / Double(elapsed)
        return recent
    }
}
