import Streams

/// What `apus bench encoding` found.
public struct EncodingReport: Codable, Equatable, Sendable {
    /// What was captured: the test card, or a camera.
    public var source: String
    public var encoder: String
    public var width: Int
    public var height: Int
    public var framesPerSecond: Double
    /// From the instant of capture of a picture until its RTP packets are made.
    public var captureToPackets: DurationSummary?
    /// The same without the time for which that picture was in the encoder: capture, drawing, publishing, packaging. `nil` where
    /// nothing is coded here.
    public var besideEncoder: DurationSummary?
    /// What the encoder takes by itself for a picture of the test card of that size, at the same pace.
    public var encoderAlone: DurationSummary?
    /// Pictures that were left out because the machine was too slow.
    public var skipped: Int
    /// Processor seconds per second: all from capture to packets, and the encoder by itself.
    public var processorLoad: Double
    public var encoderLoad: Double

    public var allPlayed: Bool { skipped == 0 && captureToPackets != nil && encoderAlone != nil }

    public var table: String {
        var table = ReportTable()
        table.add("source", source)
        table.add(
            "pictures", "\(width)×\(height) at \(ReportTable.number(framesPerSecond, digits: 2)) fps by \(encoder)")
        table.add("left out", "\(skipped)")
        table.add("capture → RTP packets", captureToPackets)
        table.add("  all but the encoder", besideEncoder)
        table.add("  the encoder by itself", encoderAlone)
        table.add("processor", "\(ReportTable.number(100 * processorLoad)) % of a core")
        table.add("  the encoder by itself", "\(ReportTable.number(100 * encoderLoad)) %")
        return table.text
    }
}
