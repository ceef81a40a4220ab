import Media

/// The measurement of `apus bench encoding`.
public struct MeasuredEncoding: Measurement, Sendable {
    /// One frame of the source.
    struct Frame: Sendable {
        /// When the frame's packets were made.
        let instant: MonotonicTime
        /// Nanoseconds from the capture until then.
        let age: Int64
        /// The age less the encoding time; `nil` if Apus does not encode the source.
        let ageWithoutEncoder: Int64?
    }

    public let report: EncodingReport
    let frames: [Frame]
    /// The encoding times of the encoder alone, in the second part.
    let encoder: [PlotPoint]

    public var table: String { report.table }
    public var isEmpty: Bool { frames.isEmpty && encoder.isEmpty }

    public var deficiencies: [String] {
        var deficiencies: [String] = []
        if report.skipped > 0 {
            deficiencies.append("\(report.skipped) frames were skipped because this machine is too slow")
        }
        if frames.isEmpty { deficiencies.append("\(report.source): no frame arrived") }
        if encoder.isEmpty { deficiencies.append("\(report.encoder): no frame was encoded") }
        return deficiencies
    }

    public var csv: String {
        var table = CommaSeparatedTable(columns: [
            "part", "index", "seconds", "capture_to_packets_ms", "beside_encoder_ms", "encoder_ms",
        ])
        for (index, frame) in frames.enumerated() {
            table.add([
                "source", "\(index)", CommaSeparatedTable.seconds(frame.instant - start),
                CommaSeparatedTable.milliseconds(frame.age), CommaSeparatedTable.milliseconds(frame.ageWithoutEncoder),
                nil,
            ])
        }
        for (index, frame) in encoder.enumerated() {
            table.add([
                "encoder", "\(index)", CommaSeparatedTable.seconds(frame.instant - start), nil, nil,
                CommaSeparatedTable.milliseconds(frame.nanoseconds),
            ])
        }
        return table.text
    }

    public var svg: String? {
        let whole = frames.map { PlotPoint(instant: $0.instant, nanoseconds: $0.age) }
        return LatencyPlot(
            title: "\(report.source), \(report.encoder)",
            series: [
                .init("capture → RTP packets", colour: LatencyPlot.colours[0], whole, from: start),
                .init("encoder alone", colour: LatencyPlot.colours[1], encoder, from: start),
            ]
        ).svg
    }

    public func value(for threshold: Threshold) -> Double? {
        switch threshold.quantity {
        case .of(.packaged, let statistic): statistic.value(of: Distribution(frames.map(\.age)))
        case .of(.besideEncoder, let statistic):
            statistic.value(of: Distribution(frames.compactMap(\.ageWithoutEncoder)))
        case .of(.encoder, let statistic): statistic.value(of: Distribution(encoder.map(\.nanoseconds)))
        case .value(.skipped): Double(report.skipped)
        case .value(.load): 100 * report.processorLoad
        case .value(.encoderLoad): 100 * report.encoderLoad
        case .of, .value: nil
        }
    }

    /// When the packets of the first frame were made.
    private var start: MonotonicTime {
        frames.first?.instant ?? encoder.first?.instant ?? MonotonicTime(nanoseconds: 0)
    }
}
