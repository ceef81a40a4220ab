import Media
import RTP
import RateControl
import Reactor

/// What a viewer's path carries, from what its transport measures and its client reports. Confined to its loop.
public struct ViewerPath {
    /// The estimator of the path.
    private var estimator: PathEstimator
    /// The reading of the kernel before the last sample, and when it was made.
    private var former: (path: TCPPath, at: MonotonicTime)?
    /// When the next sample of a connection is due.
    private var nextSample = MonotonicTime(nanoseconds: .min / 2)
    /// Messages of transport-wide feedback: a burst, then as many per second. GStreamer sends one per frame.
    private var messages = TokenBucket(.init(burst: 50, earning: 200, every: 1_000_000_000))
    /// Whether the client counts as lost what was sent again.
    private let countsRepairedAsLost: Bool

    /// The time between two samples of a connection, in nanoseconds, and while the viewer lags.
    private static let interval: Int64 = 100_000_000
    private static let laggingInterval: Int64 = 50_000_000
    /// From this lag on, data waits longer than one frame takes.
    private static let leastLag: Int64 = 40_000_000

    /// - Parameters:
    ///   - limits: those of the estimate.
    ///   - repair: what becomes of lost packets; over TCP it works.
    public init(limits: RateLimits, repair: Repair, countsRepairedAsLost: Bool = false) {
        estimator = PathEstimator(limits: limits, repair: repair)
        self.countsRepairedAsLost = countsRepairedAsLost
    }

    public var estimate: PathEstimate { estimator.estimate }

    public mutating func change(_ limits: RateLimits) { estimator.change(limits) }

    /// Samples a connection, if that is due.
    ///
    /// - Parameter lag: media time that has not reached the client, in nanoseconds; asked only if the sample is due.
    public mutating func observe(_ output: TCPOutput, lag: () -> Int64, at now: MonotonicTime) {
        guard now >= nextSample, let path = output.socket.path else { return }
        let lag = lag()
        nextSample = now + (lag > Self.leastLag ? Self.laggingInterval : Self.interval)
        let elapsed = former.map { now - $0.at } ?? 0
        let limited = former.map { path.windowLimited &- $0.path.windowLimited } ?? 0
        let isApplicationLimited = path.isApplicationLimited && !output.isBlocked
        estimator.observed(
            BacklogSample(
                lag: lag, delivered: delivered(path, after: elapsed, isLagging: lag > Self.leastLag),
                isApplicationLimited: isApplicationLimited, roundTripTime: path.roundTrip,
                leastRoundTripTime: path.leastRoundTrip,
                receiverWindowLimitedShare: elapsed > 0 ? Double(limited) / Double(elapsed) : 0),
            at: now)
        former = (path, now)
    }

    /// The rate at which the path delivers. The kernel measures it over a round trip, which a queue makes long: if the path has become
    /// slower, its measurement is too high for some hundred milliseconds. While something waits, what has been acknowledged since the
    /// sample before tells it sooner.
    private func delivered(_ path: TCPPath, after elapsed: Int64, isLagging: Bool) -> DataRate? {
        let measured = path.deliveryRate > 0 ? DataRate(bitsPerSecond: Int64(min(path.deliveryRate, 1 << 50) * 8)) : nil
        guard isLagging, let former, elapsed > 0 else { return measured }
        let acknowledged = DataRate(
            byteCount: Int64(clamping: path.acknowledgedByteCount &- former.path.acknowledgedByteCount),
            nanoseconds: elapsed)
        return measured.map { min($0, acknowledged) } ?? acknowledged
    }

    /// Handles a reception report of the leading track.
    ///
    /// - Parameters:
    ///   - packetByteCount: the mean size of the track's packets.
    ///   - clockRate: the track's, in Hz.
    mutating func received(
        _ block: ReportBlock, roundTrip: Int64?, packetByteCount: Int, clockRate: Int64, at now: MonotonicTime
    ) {
        estimator.received(
            LossReport(
                fractionLost: block.fractionLost, cumulativeLost: block.cumulativeLost,
                extendedHighestSequenceNumber: block.extendedHighestSequenceNumber,
                jitter: Int64(block.jitter) * 1_000_000_000 / max(1, clockRate), roundTripTime: roundTrip,
                meanPacketByteCount: packetByteCount),
            at: now)
    }

    /// Whether a message of transport-wide feedback is read.
    mutating func admitsMessage(at now: MonotonicTime) -> Bool { messages.takeOne(at: now) }

    /// Handles transport-wide feedback about one packet.
    ///
    /// - Parameter arrival: on the client's clock, in nanoseconds; `nil` if it did not arrive.
    mutating func received(sent: MonotonicTime, arrival: Int64?, byteCount: Int) {
        estimator.received(PacketFeedback(sent: sent.nanoseconds, arrival: arrival, byteCount: byteCount))
    }

    /// The feedback of one message is complete.
    mutating func endOfFeedback(at now: MonotonicTime) { estimator.endOfFeedback(at: now) }

    /// The client has lost a packet that it had not asked for before.
    mutating func lostPacket() {
        if !countsRepairedAsLost { estimator.receivedNACK(packetCount: 1) }
    }
}
