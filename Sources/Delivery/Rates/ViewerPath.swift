import Media
import RTP
import RateControl
import Reactor

/// What a viewer's path carries, from what its transport measures and its client reports. Confined to its loop.
public struct ViewerPath {
    /// The estimator of the path.
    private var estimator: PathEstimator
    /// What the connection has done lately.
    private var history = SentHistory()
    /// When the next sample of a connection is due.
    private var nextSample = MonotonicTime(nanoseconds: .min / 2)
    /// Messages of transport-wide feedback: a burst, then as many per second. GStreamer sends one per frame.
    private var messages = TokenBucket(.init(burst: 50, earning: 200, every: 1_000_000_000))
    /// Whether the client counts as lost what was sent again.
    private let countsRepairedAsLost: Bool

    /// The time between two samples of a connection, in nanoseconds. If a link carries less than half of what is sent, a queue of 200 ms
    /// is full after five frames, and what it drops comes too late for a player. So the fall has to be known after three.
    static let interval: Int64 = 25_000_000

    /// - Parameters:
    ///   - limits: those of the estimate.
    ///   - repair: what becomes of lost packets; over TCP it works.
    ///   - hasRenditions: whether the viewer moves between streams.
    public init(limits: RateLimits, repair: Repair, countsRepairedAsLost: Bool = false, hasRenditions: Bool = false) {
        estimator = PathEstimator(limits: limits, repair: repair, hasRenditions: hasRenditions)
        self.countsRepairedAsLost = countsRepairedAsLost
    }

    public var estimate: PathEstimate { estimator.estimate }

    public mutating func change(_ limits: RateLimits) { estimator.change(limits) }

    /// Samples a connection, if that is due.
    ///
    /// - Parameter waiting: media time that waits here, in nanoseconds; `nil` while the client reads its fast start, which it does as fast as
    ///   it can. Asked only if the sample is due.
    public mutating func observe(_ output: TCPOutput, waiting: () -> Int64?, at now: MonotonicTime) {
        guard now >= nextSample, let path = output.socket.path else { return }
        nextSample = now + Self.interval
        let recent = history.note(path, at: now)
        let waiting = waiting()
        estimator.observed(
            BacklogSample(
                lag: waiting.map { $0 &+ recent.queueTime } ?? 0, delivered: recent.delivered,
                isApplicationLimited: recent.delivered == nil && !output.isBlocked,
                receiverWindowLimitedShare: recent.windowLimitedShare),
            at: now)
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

    /// Whether packets wait in a queue of the network for so long that repair would only lengthen it.
    func isQueueLong(at now: MonotonicTime) -> Bool { estimator.isQueueLong(at: now) }

    /// How long a packet that is sent now will wait in a queue of the network, in nanoseconds; 0 if that is not known, or short.
    func queueTime(at now: MonotonicTime) -> Int64 { estimator.queueTime(at: now) }

    /// A packet is sent again in a stream of its own, about which transport-wide feedback tells nothing.
    mutating func retransmitted(byteCount: Int, at now: MonotonicTime) {
        estimator.retransmitted(byteCount: byteCount, at: now)
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

    /// The feedback of one message is complete, while the client receives its fast start. It fills a queue at once, which may drop most of
    /// it, and that is no congestion. It is kept for a second.
    mutating func endOfFeedbackAboutFastStart() { estimator.ignoreFeedback() }

    /// The client has lost a packet that it had not asked for before.
    mutating func lostPacket() {
        if !countsRepairedAsLost { estimator.receivedNACK(packetCount: 1) }
    }
}
