import Streams

extension Quantity.Statistic {
    /// The value in milliseconds.
    func value(of distribution: Distribution) -> Double? {
        switch self {
        case .minimum: distribution.sorted.first?.milliseconds
        case .mean: distribution.mean.map { $0 / 1e6 }
        case .maximum: distribution.sorted.last?.milliseconds
        case .percentile(let percent): distribution.percentile(percent)?.milliseconds
        }
    }

    /// The value in milliseconds.
    func value(of histogram: DurationHistogram) -> Double? {
        switch self {
        case .minimum: histogram.milliseconds(atPercentile: 0)
        case .mean: histogram.meanMilliseconds
        case .maximum: histogram.milliseconds(atPercentile: 100)
        case .percentile(let percent): histogram.milliseconds(atPercentile: percent)
        }
    }
}
