import Media

@testable import RateControl

/// Many viewers of one stream, each with a path of its own, in steps of 100 ms.
struct ViewerCrowd {
    /// One viewer's connection as a fluid, in bits.
    private struct Viewer {
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        let trace: LinkTrace
        let offset: Double
        var backlog = 0.0

        mutating func step(_ rate: Double, at now: Double) {
            let capacity = trace.rate(at: (now + offset).truncatingRemainder(dividingBy: 190))
            let sent = min(capacity * 0.1, backlog + rate * 0.1)
            // A viewer that is more than 500 ms behind skips to a keyframe.
            backlog = min(backlog + rate * 0.1 - sent, rate * 0.5)
            estimator.observed(
                BacklogSample(
                    lag: Int64(backlog / rate * 1e9), delivered: DataRate(bitsPerSecond: Int64(sent * 10)),
                    isApplicationLimited: backlog == 0),
                at: MonotonicTime(nanoseconds: Int64(now * 1e9)))
        }

        /// A report that anything may be true of.
        mutating func lie(_ number: Int, at now: Double) {
            estimator.observed(
                BacklogSample(
                    lag: Int64(number % 7) * 100_000_000,
                    delivered: DataRate(bitsPerSecond: Int64(number % 11) * 90_000),
                    isApplicationLimited: number % 3 == 0),
                at: MonotonicTime(nanoseconds: Int64(now * 1e9)))
        }
    }

    private var viewers: [Viewer]
    private let liarCount: Int
    private(set) var encoder = EncoderRate(.init(limits: .simulated, headerShare: 0))
    private(set) var changes: [(time: Double, rate: Double)] = []

    /// - Parameter liarCount: how many of the viewers, the first ones, tell lies.
    init(_ traces: [LinkTrace], count: Int, liarCount: Int = 0) {
        viewers = (0..<count).map { number in
            // Viewers of one trace are at different places of it.
            Viewer(trace: traces[number % traces.count], offset: Double(number * 37 % 190))
        }
        self.liarCount = liarCount
    }

    mutating func run(seconds: Int) {
        var rates = ViewerRates()
        for step in 0..<seconds * 10 {
            let now = Double(step) / 10
            let rate = Double(encoder.order.bitrate.bitsPerSecond)
            rates.removeAll()
            for index in viewers.indices {
                if index < liarCount { viewers[index].lie(step, at: now) } else { viewers[index].step(rate, at: now) }
                rates.add(viewers[index].estimator.estimate)
            }
            if let order = encoder.update(&rates, at: MonotonicTime(nanoseconds: Int64(now * 1e9))) {
                changes.append((now, Double(order.bitrate.bitsPerSecond)))
            }
        }
    }
}
