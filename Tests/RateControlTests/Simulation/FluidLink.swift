import Media
import RateControl

/// Streams with one viewer each that share one link, in virtual time. Each stream's encoder makes what its rule wants.
struct FluidLink {
    private(set) var flows: [FluidFlow] = []
    private(set) var encoders: [EncoderRate] = []
    /// Time and bitrate of each change.
    private(set) var changes: [[(time: Double, rate: Double)]] = []
    private var rules: [any SimulatedRule] = []
    private var starts: [Double] = []
    private let trace: LinkTrace
    /// Seconds in which the link empties the full queue.
    private let queue: Double
    private(set) var now = 0.0

    private static let step = 0.01

    init(_ trace: LinkTrace, queue: Double = 0.2) {
        (self.trace, self.queue) = (trace, queue)
    }

    mutating func add(_ rule: any SimulatedRule, limits: RateLimits, start: Double = 0) {
        rules.append(rule)
        encoders.append(EncoderRate(.init(limits: limits, headerShare: 0)))
        flows.append(FluidFlow(rate: Double(limits.maximum.bitsPerSecond), start: start))
        starts.append(start)
        changes.append([])
    }

    mutating func run(until end: Double) {
        var viewers = ViewerRates()
        var number = Int((now / Self.step).rounded())
        while now < end {
            number += 1
            now = Double(number) * Self.step
            transfer()
            guard number % 10 == 0 else { continue }
            for index in flows.indices where starts[index] < now {
                rules[index].observe(Observation(flows[index], linkRate: trace.rate(at: now), at: now))
                viewers.removeAll()
                viewers.add(rules[index].estimate)
                let instant = MonotonicTime(nanoseconds: Int64(now * 1e9))
                guard let order = encoders[index].update(&viewers, at: instant) else { continue }
                flows[index].rate = Double(order.bitrate.bitsPerSecond)
                changes[index].append((now, flows[index].rate))
            }
        }
    }

    private mutating func transfer() {
        let capacity = trace.rate(at: now)
        for index in flows.indices {
            flows[index].produce(at: now)
            flows[index].fill(queue * capacity / Double(flows.count))
        }
        // What one connection does not need is for the others: each gets an equal share of the rest, the smallest first.
        var rest = capacity * Self.step
        var waiting = flows.count
        for index in flows.indices.sorted(by: { flows[$0].queued < flows[$1].queued }) {
            let bits = min(flows[index].queued, rest / Double(waiting))
            (rest, waiting) = (rest - bits, waiting - 1)
            let time = now
            var frames: [(Double, Double)] = []
            flows[index].deliver(bits, capacity: capacity / Double(flows.count), until: now, duration: Self.step) {
                frames.append(($0, $1))
            }
            for (captured, bits) in frames {
                rules[index].frameArrived(
                    captured: captured, arrived: time + FluidFlow.leastRoundTripTime / 2, bits: bits)
            }
        }
    }
}

/// What a rule sees every 100 ms.
struct Observation {
    let now: Double
    let lag: Double
    let delivered: Double?
    let isApplicationLimited: Bool
    let roundTripTime: Double
    /// What the upload of a whole file would measure, in bits per second. Only the rule that uploads files may use it.
    let linkRate: Double

    init(_ flow: FluidFlow, linkRate: Double, at now: Double) {
        self.linkRate = linkRate
        self.now = now
        lag = flow.lag(at: now)
        delivered = flow.sampledRate
        isApplicationLimited = flow.isApplicationLimited
        roundTripTime = flow.roundTripTime
    }

    var instant: MonotonicTime { MonotonicTime(nanoseconds: Int64(now * 1e9)) }
}

/// A rule that decides a stream's rate.
protocol SimulatedRule: Sendable {
    var estimate: PathEstimate { get }
    mutating func observe(_ observation: Observation)
    /// The last bit of a frame arrived; times are seconds.
    mutating func frameArrived(captured: Double, arrived: Double, bits: Double)
}

extension SimulatedRule {
    mutating func frameArrived(captured: Double, arrived: Double, bits: Double) {}
}
