import Media

/// Draws latency over time and its distribution as SVG: two panels side by side, one colour per series.
struct LatencyPlot {
    /// The values of one measured duration, in milliseconds.
    struct Series {
        let name: String
        let colour: String
        /// Seconds since the first live frame, and milliseconds.
        let points: [(seconds: Double, value: Double)]
        let distribution: Distribution
    }

    private let title: String
    private let series: [Series]
    private let seconds: Double
    private let scale: PlotScale
    /// Nines at the right end of the distribution's axis: the resolution of one frame.
    private let nines: Double

    private static let (width, height, margin, gap) = (560.0, 300.0, 50.0, 60.0)
    /// Maximum points per series: only the largest point in each column is drawn.
    private static let columns = 560
    /// Percentiles with a label on the distribution's axis.
    private static let ticks = [0.0, 50, 90, 99, 99.9, 99.99]

    init(title: String, series: [Series], seconds: Double) {
        self.title = title
        self.series = series
        self.seconds = max(seconds, 1e-3)
        let values = series.flatMap { [$0.distribution.sorted.first, $0.distribution.sorted.last] }.compactMap { $0 }
        nines = PlotScale.nines(ofCount: series.map(\.distribution.sorted.count).max() ?? 0)
        scale = PlotScale(from: values.min()?.milliseconds ?? 0, to: values.max()?.milliseconds ?? 1)
    }

    var svg: String {
        let width = 2 * (Self.width + Self.gap) + Self.margin
        let height = Self.height + 2 * Self.margin
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" "
                + "font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"\(Int(width))\" height=\"\(Int(height))\" fill=\"white\"/>",
        ]
        let (left, right) = (Self.margin, Self.margin + Self.width + Self.gap)
        parts += grid(at: left, "\(title): latency over time, ms") + grid(at: right, "by share of frames, %")
        parts += timeAxis(at: left) + shareAxis(at: right)
        for (number, series) in series.enumerated() {
            parts += [dots(series, at: left), curve(series, at: right)]
            parts.append(label(series, number: number, at: right))
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    // MARK: - Axes

    private func grid(at left: Double, _ title: String) -> [String] {
        var parts = [PlotText.text(title, x: left, y: Self.margin - 15, "font-weight=\"bold\"")]
        for level in scale.levels {
            let height = y(level)
            parts.append(
                "<line x1=\"\(PlotText.number(left))\" x2=\"\(PlotText.number(left + Self.width))\" "
                    + "y1=\"\(PlotText.number(height))\" y2=\"\(PlotText.number(height))\" stroke=\"#ddd\"/>")
            parts.append(
                PlotText.text(PlotText.short(level), x: left - 5, y: height + 4, "text-anchor=\"end\""))
        }
        return parts
    }

    private func timeAxis(at left: Double) -> [String] {
        PlotScale(from: 0, to: seconds).levels.filter { $0 <= seconds }.map {
            tick(PlotText.short($0) + " s", x: left + Self.width * $0 / seconds)
        }
    }

    private func shareAxis(at left: Double) -> [String] {
        Self.ticks.filter { PlotScale.nines($0) <= nines }.map {
            tick(PlotText.short($0), x: left + Self.width * PlotScale.nines($0) / nines)
        }
    }

    private func tick(_ text: String, x: Double) -> String {
        PlotText.text(text, x: x, y: Self.margin + Self.height + 18, "text-anchor=\"middle\"")
    }

    // MARK: - Series

    private func dots(_ series: Series, at left: Double) -> String {
        var highest: [Int: (seconds: Double, value: Double)] = [:]
        for point in series.points {
            let column = Int(Double(Self.columns) * min(max(point.seconds / seconds, 0), 1))
            if highest[column].map({ $0.value < point.value }) ?? true { highest[column] = point }
        }
        let circles = highest.sorted { $0.key < $1.key }.map { _, point in
            let x = left + Self.width * min(max(point.seconds / seconds, 0), 1)
            return "<circle cx=\"\(PlotText.number(x))\" cy=\"\(PlotText.number(y(point.value)))\" r=\"1.5\"/>"
        }
        return "<g fill=\"\(series.colour)\">\(circles.joined())</g>"
    }

    private func curve(_ series: Series, at left: Double) -> String {
        let points = (0...Self.columns).compactMap { column -> String? in
            let percent = PlotScale.percent(nines: nines * Double(column) / Double(Self.columns))
            guard let value = series.distribution.percentile(percent) else { return nil }
            let x = left + Self.width * Double(column) / Double(Self.columns)
            return "\(PlotText.number(x)),\(PlotText.number(y(value.milliseconds)))"
        }
        return "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(series.colour)\" "
            + "stroke-width=\"2\"/>"
    }

    private func label(_ series: Series, number: Int, at left: Double) -> String {
        let text = series.distribution.summary.map {
            "\(series.name): p50 \(ReportTable.number($0.p50)), p99 \(ReportTable.number($0.p99)) ms"
        }
        return PlotText.text(
            text ?? series.name, x: left + Self.width - 10, y: Self.margin + Self.height - 12 - 16 * Double(number),
            "text-anchor=\"end\" fill=\"\(series.colour)\"")
    }

    private func y(_ value: Double) -> Double {
        Self.margin + Self.height * (1 - scale.share(of: value))
    }
}

extension MeasuredStream {
    /// Latency over time and its distribution, as SVG; lateness if the capture times are unknown.
    public var plot: String {
        let first = frames.first?.frame.lastPacket ?? recording.opened
        func series(_ name: String, _ colour: String, _ value: (MeasuredFrame) -> Int64?) -> LatencyPlot.Series {
            let points = frames.compactMap { frame in
                value(frame).map { (Double(frame.frame.lastPacket - first) / 1e9, $0) }
            }
            return LatencyPlot.Series(
                name: name, colour: colour, points: points.map { ($0.0, $0.1.milliseconds) },
                distribution: Distribution(points.map(\.1)))
        }
        let all = [
            series("capture → decoded", "#0b6e99", \.decoded), series("capture → last packet", "#c4531a", \.arrival),
        ].filter { !$0.points.isEmpty }
        let shown = all.isEmpty ? [series("later than the least delayed", "#5b7f2b", \.lateness)] : all
        return LatencyPlot(title: plan.stream.url, series: shown, seconds: seconds).svg
    }
}
