import Streams

/// The result of `apus bench encoding`.
public struct EncodingReport: Codable, Equatable, Sendable {
    /// The source: the test card, or a camera.
    public var source: String
    public var encoder: String
    public var width: Int
    public var height: Int
    public var frameRate: Double
    /// From a frame's capture until its RTP packets exist.
    public var captureToPackets: DurationSummary?
    /// The time from capture to packets less the encoding time: capture, drawing, publishing, packetising. `nil` if Apus does not
    /// encode the source.
    public var withoutEncoder: DurationSummary?
    /// The encoding time of the encoder alone, for frames of the test card of that size, at the same frame rate.
    public var encoderAlone: DurationSummary?
    /// Frames that were skipped because the machine was too slow.
    public var skipped: Int
    /// Processor seconds per second: from capture to packets, and for the encoder alone.
    public var processorLoad: Double
    public var encoderLoad: Double

    private enum CodingKeys: String, CodingKey {
        case source, encoder, width, height
        case frameRate = "framesPerSecond"
        case captureToPackets
        case withoutEncoder = "besideEncoder"
        case encoderAlone, skipped, processorLoad, encoderLoad
    }

    public var allPlayed: Bool { skipped == 0 && captureToPackets != nil && encoderAlone != nil }

    public var table: String {
        var table = ReportTable()
        table.add("source", source)
        table.add(
            "frames", "\(width)×\(height) at \(ReportTable.number(frameRate, digits: 2)) fps by \(encoder)")
        table.add("skipped", "\(skipped)")
        table.add("capture → RTP packets", captureToPackets)
        table.add("  without the encoder", withoutEncoder)
        table.add("  encoder alone", encoderAlone)
        table.add("processor", "\(ReportTable.number(100 * processorLoad)) % of a core")
        table.add("  encoder alone", "\(ReportTable.number(100 * encoderLoad)) %")
        return table.text
    }
}
