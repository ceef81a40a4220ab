import Media
import Streams

/// The measurement of `apus bench viewers`.
public struct MeasuredViewers: Measurement, Sendable {
    public let report: ViewersReport
    private let url: String
    private let rows: [ViewerRow]
    private let frames: [PlotPoint]
    private let histograms: [Quantity.Distribution: DurationHistogram]

    init(_ plan: ViewersPlan, _ tally: ViewersTally) {
        var fanOut = tally.fanOut
        report = ViewersReport(plan, tally)
        url = plan.url
        rows = tally.rows
        frames = tally.frames
        histograms = [
            .arrival: tally.captureToArrival, .handOver: tally.handOverToArrival, .play: tally.connectToPlay,
            .playToPacket: tally.playToFirstPacket, .playToDecodable: tally.playToKeyframe,
            .firstDecodable: tally.connectToKeyframe, .fanOut: fanOut.finish(),
        ]
    }

    public var table: String { report.table }
    public var csv: String { rows.csv }
    public var isEmpty: Bool { report.established == 0 }

    public var svg: String? {
        let steady = rows.filter { $0.kind == .steady }
        let start = rows.firstInstant
        return LatencyPlot(
            title: url,
            series: [
                .init("capture → last packet", colour: LatencyPlot.colours[0], frames, from: start),
                .init(
                    "connect → first keyframe", colour: LatencyPlot.colours[1], steady.points(\.connectToKeyframe),
                    from: start),
            ]
        ).svg
    }

    public var deficiencies: [String] {
        let failures = report.failures.sorted { $0.key < $1.key }.map {
            "\(url): \($0.value) sessions failed: \($0.key)"
        }
        return report.established == 0 && failures.isEmpty ? ["\(url): no viewer received the stream"] : failures
    }

    public func value(for threshold: Threshold) -> Double? {
        switch threshold.quantity {
        case .of(let distribution, let statistic): histograms[distribution].flatMap(statistic.value)
        case .value(let value): self.value(value)
        }
    }

    private func value(_ value: Quantity.Value) -> Double? {
        switch value {
        case .failed: Double(report.failures.values.reduce(0, +))
        case .established: Double(report.established)
        case .loss: lossPercent(received: report.packets, lost: report.lost)
        case .lost: Double(report.lost)
        case .gaps: Double(report.gaps)
        case .duplicates: Double(report.duplicates)
        case .reordered: Double(report.reordered)
        case .units: Double(report.wholeUnits)
        case .unitsInTime: Double(report.unitsInTime)
        case .broken: Double(report.brokenUnits)
        case .oldestHalfRate: report.oldestHalfRateFrameMilliseconds
        case .serverCost: report.steady?.processorSecondsPerGigabyte ?? report.server?.processorSecondsPerGigabyte
        default: nil
        }
    }
}

/// The loss in percent; `nil` if no packet was expected.
func lossPercent(received: UInt64, lost: UInt64) -> Double? {
    received + lost > 0 ? Double(lost) / Double(received + lost) * 100 : nil
}
