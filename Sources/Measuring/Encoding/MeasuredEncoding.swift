import Media

/// What `apus bench encoding` has measured.
public struct MeasuredEncoding: Measurement, Sendable {
    /// One picture of the source.
    struct Picture: Sendable {
        /// When its packets were made.
        let instant: MonotonicTime
        /// Nanoseconds from its capture until then.
        let age: Int64
        /// The same without the time that it was in the encoder; `nil` where nothing is coded here.
        let besideEncoder: Int64?
    }

    public let report: EncodingReport
    let pictures: [Picture]
    /// What the encoder by itself took for each picture of the second part.
    let encoder: [PlotPoint]

    public var table: String { report.table }
    public var isEmpty: Bool { pictures.isEmpty && encoder.isEmpty }

    public var deficiencies: [String] {
        var deficiencies: [String] = []
        if report.skipped > 0 {
            deficiencies.append("\(report.skipped) pictures were left out: the machine is too slow")
        }
        if pictures.isEmpty { deficiencies.append("\(report.source): no picture came") }
        if encoder.isEmpty { deficiencies.append("\(report.encoder): no picture was encoded") }
        return deficiencies
    }

    public var csv: String {
        var table = CommaSeparatedTable(columns: [
            "part", "index", "seconds", "capture_to_packets_ms", "beside_encoder_ms", "encoder_ms",
        ])
        for (index, picture) in pictures.enumerated() {
            table.add([
                "source", "\(index)", CommaSeparatedTable.seconds(picture.instant - start),
                CommaSeparatedTable.milliseconds(picture.age), CommaSeparatedTable.milliseconds(picture.besideEncoder),
                nil,
            ])
        }
        for (index, picture) in encoder.enumerated() {
            table.add([
                "encoder", "\(index)", CommaSeparatedTable.seconds(picture.instant - start), nil, nil,
                CommaSeparatedTable.milliseconds(picture.nanoseconds),
            ])
        }
        return table.text
    }

    public var svg: String? {
        let whole = pictures.map { PlotPoint(instant: $0.instant, nanoseconds: $0.age) }
        return LatencyPlot(
            title: "\(report.source), \(report.encoder)",
            series: [
                .init("capture → RTP packets", colour: LatencyPlot.colours[0], whole, from: start),
                .init("the encoder by itself", colour: LatencyPlot.colours[1], encoder, from: start),
            ]
        ).svg
    }

    public func value(for threshold: Threshold) -> Double? {
        switch threshold.quantity {
        case .of(.packaged, let statistic): statistic.value(of: Distribution(pictures.map(\.age)))
        case .of(.besideEncoder, let statistic): statistic.value(of: Distribution(pictures.compactMap(\.besideEncoder)))
        case .of(.encoder, let statistic): statistic.value(of: Distribution(encoder.map(\.nanoseconds)))
        case .value(.skipped): Double(report.skipped)
        case .value(.load): 100 * report.processorLoad
        case .value(.encoderLoad): 100 * report.encoderLoad
        case .of, .value: nil
        }
    }

    /// When the first picture's packets were made.
    private var start: MonotonicTime {
        pictures.first?.instant ?? encoder.first?.instant ?? MonotonicTime(nanoseconds: 0)
    }
}
