import Media

@testable import RateControl

extension MonotonicTime {
    static func milliseconds(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: count * 1_000_000) }
}

extension DataRate {
    static func kilobits(_ count: Int64) -> DataRate { DataRate(bitsPerSecond: count * 1000) }
}

extension RateLimits {
    /// 100 kbit/s to 3 Mbit/s.
    static let simulated = RateLimits(minimum: .kilobits(100), maximum: .kilobits(3_000))
}

extension PathEstimate {
    init(_ kilobits: Int64, _ reason: RateReason = .growing) {
        self.init(rate: .kilobits(kilobits), reason: reason)
    }
}

extension BacklogSample {
    /// A sample of a connection with a backlog, or of one without.
    static func lag(_ milliseconds: Int64, delivering kilobits: Int64) -> BacklogSample {
        BacklogSample(
            lag: milliseconds * 1_000_000, delivered: .kilobits(kilobits), isApplicationLimited: milliseconds == 0)
    }
}

extension LossReport {
    init(highest: UInt32, lost: Int32, fraction: UInt8 = 0, roundTripMilliseconds: Int64? = nil) {
        self.init(
            fractionLost: fraction, cumulativeLost: lost, extendedHighestSequenceNumber: highest,
            roundTripTime: roundTripMilliseconds.map { $0 * 1_000_000 }, meanPacketByteCount: 1250)
    }
}
