import Media

/// A duration measured at an instant.
struct PlotPoint: Sendable {
    let instant: MonotonicTime
    let nanoseconds: Int64
}

extension LatencyPlot.Series {
    /// - Parameter start: the origin of the time axis.
    init(_ name: String, colour: String, _ points: [PlotPoint], from start: MonotonicTime) {
        self.init(
            name: name, colour: colour,
            points: points.map { (Double($0.instant - start) / 1e9, $0.nanoseconds.milliseconds) },
            distribution: Distribution(points.map(\.nanoseconds)))
    }
}

extension LatencyPlot {
    /// The colours of a plot's first and second series.
    static let colours = ["#0b6e99", "#c4531a"]

    /// A plot of the series that have points.
    init(title: String, series: [Series]) {
        let seconds = series.flatMap(\.points).map(\.seconds).max() ?? 0
        self.init(title: title, series: series.filter { !$0.points.isEmpty }, seconds: seconds)
    }
}
