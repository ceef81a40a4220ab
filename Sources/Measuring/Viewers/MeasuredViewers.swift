import Media
import Streams

/// What `apus bench viewers` has measured.
public struct MeasuredViewers: Measurement, Sendable {
    public let report: ViewersReport
    private let url: String
    private let rows: [ViewerRow]
    private let frames: [PlotPoint]
    private let histograms: [Quantity.Distribution: DurationHistogram]

    init(_ plan: ViewersPlan, _ tally: ViewersTally) {
        var fanOut = tally.fanOut
        report = ViewersReport(plan, tally)
        url = plan.session.url.text
        rows = tally.rows
        frames = tally.frames
        histograms = [
            .arrival: tally.captureToArrival, .handOver: tally.handOverToArrival, .play: tally.connectToPlay,
            .playToPacket: tally.playToFirstPacket, .playToDecodable: tally.playToRandomAccess,
            .firstDecodable: tally.connectToRandomAccess, .fanOut: fanOut.finish(),
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
                    "connect → first IDR", colour: LatencyPlot.colours[1], steady.points(\.connectToRandomAccess),
                    from: start),
            ]
        ).svg
    }

    public var deficiencies: [String] {
        let failures = report.failures.sorted { $0.key < $1.key }.map {
            "\(url): \($0.value) sessions failed: \($0.key)"
        }
        return report.established == 0 && failures.isEmpty ? ["\(url): no session played"] : failures
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
        case .oldestHalfRate: report.oldestHalfRatePictureMilliseconds
        case .serverCost: report.steady?.processorSecondsPerGigabyte ?? report.server?.processorSecondsPerGigabyte
        default: nil
        }
    }
}

/// `nil` where no packet was to come.
func lossPercent(received: UInt64, lost: UInt64) -> Double? {
    received + lost > 0 ? Double(lost) / Double(received + lost) * 100 : nil
}
