import Media

@testable import RateControl

/// The rule of this module.
struct EstimatorRule: SimulatedRule {
    private var estimator: PathEstimator

    init(limits: RateLimits = .simulated) {
        estimator = PathEstimator(limits: limits, repair: .works)
    }

    var estimate: PathEstimate { estimator.estimate }

    mutating func observe(_ observation: Observation) {
        estimator.observed(BacklogSample(observation), at: observation.instant)
    }
}

extension BacklogSample {
    init(_ observation: Observation) {
        self.init(
            lag: Int64(observation.lag * 1e9),
            delivered: observation.delivered.map { DataRate(bitsPerSecond: Int64($0)) },
            isApplicationLimited: observation.isApplicationLimited,
            roundTripTime: Int64(observation.roundTripTime * 1e9),
            leastRoundTripTime: Int64(FluidFlow.leastRoundTripTime * 1e9))
    }
}

/// A rule as a rate and how it changes.
protocol PlainRule: SimulatedRule {
    var rate: Double { get }
}

extension PlainRule {
    var estimate: PathEstimate {
        PathEstimate(rate: DataRate(bitsPerSecond: Int64(min(max(1e5, rate), 3e6))), reason: .growing)
    }
}

/// The rule of the first phone app: 0.7 × the throughput of the last upload, once per segment of 8 s.
///
/// The app uploads files, so that what it measures is the rate of the link. Here it sends continuously, and measures what is
/// delivered.
struct SegmentRule: PlainRule {
    private(set) var rate = 3e6
    private var segmentEnd = 8.0
    private var measured: [Double] = []

    mutating func observe(_ observation: Observation) {
        measured.append(observation.linkRate)
        guard observation.now >= segmentEnd else { return }
        rate = min(max(1e3, 0.7 * measured.reduce(0, +) / Double(max(1, measured.count))), 3e6)
        (segmentEnd, measured) = (segmentEnd + 8, [])
    }
}

/// The rule of the second phone app: × 0.75 on a shortage, × 1.15 after 20 good seconds.
struct ShortageRule: PlainRule {
    private(set) var rate = 3e6
    private var lastChange = 0.0
    private var goodSince = 0.0

    mutating func observe(_ observation: Observation) {
        if observation.lag > 0.5 {
            goodSince = observation.now
            guard observation.now - lastChange >= 2 else { return }
            (rate, lastChange) = (max(1e5, rate * 0.75), observation.now)
        } else if observation.now - goodSince >= 20 {
            (rate, lastChange, goodSince) = (min(rate * 1.15, 3e6), observation.now, observation.now)
        }
    }
}

/// Google congestion control without its probes: 0.85 × received on overuse, +8 %/s otherwise, half a packet per response time
/// near the limit, at most 1.5 × received (draft-ietf-rmcat-gcc-02, section 5.5).
struct GCCLikeRule: PlainRule {
    private(set) var rate = 3e6
    private var trend = DelayTrend()
    private var arrivals = ArrivalRate()
    private var limit: Double?
    private var isHolding = false

    mutating func frameArrived(captured: Double, arrived: Double, bits: Double) {
        trend.received(sent: Int64(captured * 1e9), arrival: Int64(arrived * 1e9))
        arrivals.received(byteCount: Int(bits / 8), arrival: Int64(arrived * 1e9))
    }

    mutating func observe(_ observation: Observation) {
        guard let received = arrivals.rate.map({ Double($0.bitsPerSecond) }) else { return }
        switch trend.usage {
        case .overuse:
            if rate > 0.85 * received { rate = 0.85 * received }
            (limit, isHolding) = (received, true)
        case .underuse:
            isHolding = true
        case .normal:
            isHolding = false
            if let known = limit, received > known * 1.2 { limit = nil }
            let isNear = limit.map { rate > $0 * 0.85 } ?? false
            let increase = isNear ? 4_800 / (observation.roundTripTime + 0.1) : 0.08 * rate
            rate = max(rate, min(rate + 0.1 * increase, 1.5 * received + 10_000))
        }
        rate = min(max(1e5, rate), 3e6)
    }
}

/// SCReAM's control of the media rate (RFC 8298, section 4.1.2), with the congestion window replaced by the queue's delay: its
/// target is 100 ms.
struct SCReAMLikeRule: PlainRule {
    private(set) var rate = 3e6
    private var arrivals = ArrivalRate()
    private var leastTransit = Double.infinity
    private var transit = 0.0
    private var previousDelay = 0.0
    private var trend = 0.0
    private var lastAdjustment = 0.0

    mutating func frameArrived(captured: Double, arrived: Double, bits: Double) {
        arrivals.received(byteCount: Int(bits / 8), arrival: Int64(arrived * 1e9))
        transit = arrived - captured
        leastTransit = min(leastTransit, transit)
    }

    mutating func observe(_ observation: Observation) {
        guard observation.now - lastAdjustment >= 0.2, let received = arrivals.rate else { return }
        lastAdjustment = observation.now
        let delay = transit - leastTransit
        trend = min(max(0, 0.8 * trend + 0.2 * (delay - previousDelay) / 0.1 * 4), 1)
        previousDelay = delay
        let share = delay / 0.1
        if share > 1 {
            // The window follows the delay, and the rate what the window lets through.
            rate = min(rate, Double(received.bitsPerSecond)) * max(0.5, 1 - 0.2 * (share - 1))
        } else {
            // RAMP_UP_SPEED: 200 kbit/s each second; PRE_CONGESTION_GUARD: 0.1.
            rate += 0.2 * 200_000 * (1 - share) * (1 - trend)
            rate -= 0.1 * trend * rate
        }
        rate = min(max(1e5, rate), 3e6)
    }
}
