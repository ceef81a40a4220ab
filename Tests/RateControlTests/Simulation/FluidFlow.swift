/// One connection of a reliable transport, as a fluid: an encoder makes frames, which wait with the sender, then in the
/// network's queue, and then are delivered. Times are seconds, amounts are bits since the start.
struct FluidFlow {
    /// What the encoder makes, in bits per second.
    var rate: Double
    private(set) var delivered = 0.0
    private(set) var late = 0.0
    private(set) var worstDelay = 0.0
    private(set) var delays: [(captured: Double, delay: Double)] = []

    private var produced = 0.0
    private var accepted = 0.0
    private var frames: [(end: Double, captured: Double)] = []
    private var nextAccepted = 0
    private var nextDelivered = 0
    private var nextFrame = 0.0

    /// What the kernel of the sender knows.
    private(set) var roundTripTime = FluidFlow.leastRoundTripTime
    private(set) var sampledRate: Double?
    private(set) var isApplicationLimited = true
    private var window: [(bits: Double, isLimited: Bool)] = []

    static let leastRoundTripTime = 0.04
    static let frameInterval = 1.0 / 30

    init(rate: Double, start: Double = 0) {
        (self.rate, nextFrame) = (rate, start)
    }

    /// The bits that wait in the network's queue, and with the sender.
    var queued: Double { accepted - delivered }
    var backlog: Double { produced - accepted }

    /// Media time in seconds from the first frame that is not completely with the network to the present.
    func lag(at now: Double) -> Double {
        backlog > 1 ? now - frames[nextAccepted].captured : 0
    }

    /// Makes a frame if it is due: every 60th is twice as large (the encoder's buffer is two frames).
    mutating func produce(at now: Double) {
        guard now >= nextFrame else { return }
        nextFrame += Self.frameInterval
        let share = frames.count % 60 == 0 ? 2 : 59.0 / 60
        produced += rate * Self.frameInterval * share
        frames.append((produced, now))
    }

    /// Fills the network's queue up to `capacity` bits.
    mutating func fill(_ capacity: Double) {
        accepted = min(produced, max(accepted, delivered + capacity))
        while nextAccepted < frames.count, frames[nextAccepted].end <= accepted { nextAccepted += 1 }
    }

    /// Delivers up to `bits` within `duration`, and calls `completed` for each frame of which the last bit arrives.
    mutating func deliver(
        _ bits: Double, capacity: Double, until now: Double, duration: Double,
        completed: (_ captured: Double, _ bits: Double) -> Void
    ) {
        let amount = min(bits, queued)
        delivered += amount
        // The sender's rate sample covers about one round trip (tcp_rate.c): 40 ms.
        window.append((amount, backlog <= 1))
        if window.count > 4 { window.removeFirst() }
        let sample = window.reduce(0) { $0 + $1.bits } / (Double(window.count) * duration)
        let isLimited = window.contains { $0.isLimited }
        // An application-limited sample replaces another only if it is larger.
        if !isLimited || sample > sampledRate ?? 0 { (sampledRate, isApplicationLimited) = (sample, isLimited) }
        roundTripTime += 0.25 * (Self.leastRoundTripTime + queued / max(capacity, 1) - roundTripTime)
        while nextDelivered < nextAccepted, frames[nextDelivered].end <= delivered + 0.5 {
            let frame = frames[nextDelivered]
            let delay = now - frame.captured
            delays.append((frame.captured, delay))
            worstDelay = max(worstDelay, delay)
            if delay > 0.5 { late += Self.frameInterval }
            completed(frame.captured, frame.end - (nextDelivered > 0 ? frames[nextDelivered - 1].end : 0))
            nextDelivered += 1
        }
    }
}
