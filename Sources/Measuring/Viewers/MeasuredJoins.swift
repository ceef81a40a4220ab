import Streams

/// The measurement of `apus bench joins`.
public struct MeasuredJoins: Measurement, Sendable {
    public let report: JoinsReport
    private let url: String
    private let rows: [ViewerRow]
    private let histograms: [Quantity.Distribution: DurationHistogram]

    init(_ plan: JoinsPlan, _ report: JoinsReport, _ tally: ViewersTally) {
        self.report = report
        url = plan.stream.url
        rows = tally.rows
        histograms = [
            .firstDecodable: tally.connectToKeyframe, .play: tally.connectToPlay,
            .playToPacket: tally.playToFirstPacket,
        ]
    }

    public var table: String { report.table }
    public var csv: String { rows.csv }
    public var isEmpty: Bool { rows.allSatisfy { $0.playing == nil } }

    public var svg: String? {
        let start = rows.firstInstant
        return LatencyPlot(
            title: url,
            series: [
                .init(
                    "connect → first keyframe", colour: LatencyPlot.colours[0], rows.points(\.connectToKeyframe),
                    from: start),
                .init(
                    "connect → \(PlayedStream.answer(over: report.transport))", colour: LatencyPlot.colours[1],
                    rows.points(\.connectToPlay), from: start
                ),
            ]
        ).svg
    }

    public var deficiencies: [String] {
        let failures = report.failures.sorted { $0.key < $1.key }.map { "\(url): \($0.value) joins failed: \($0.key)" }
        guard failures.isEmpty, report.withKeyframe < report.joins else { return failures }
        return ["\(url): \(report.joins - report.withKeyframe) joins received no frame"]
    }

    public func value(for threshold: Threshold) -> Double? {
        switch threshold.quantity {
        case .of(let distribution, let statistic): histograms[distribution].flatMap(statistic.value)
        case .value(.failed): Double(report.failures.values.reduce(0, +))
        case .value(.joined): Double(report.withKeyframe)
        case .value(.loss): lossPercent(received: report.packets, lost: report.lost)
        case .value(.lost): Double(report.lost)
        case .value(.gaps): Double(report.gaps)
        case .value: nil
        }
    }
}
