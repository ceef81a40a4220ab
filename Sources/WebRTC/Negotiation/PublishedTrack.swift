import Media
import RTP
import SDP

/// How a track comes from a publisher.
public struct PublishedTrack: Hashable, Sendable {
    /// The name of its medium, which packets may carry; `nil` if the offer gives none.
    public let mid: String?
    public let kind: Codec.Kind
    /// The format, as reception needs it.
    public let description: DescribedTrack
    /// The source of its packets; `nil` if the offer does not tell it.
    public let source: SSRC?
    public let extensions: ExtensionIdentifiers
    /// The feedback that the publisher takes.
    public let feedback: [String]

    /// Whether the publisher adapts its rate to the arrival times of its packets.
    public var takesTransportFeedback: Bool {
        feedback.contains("transport-cc") && extensions.transportSequenceNumber != nil
    }
    /// Whether the publisher adapts its rate to a limit.
    public var takesBitrateLimit: Bool { feedback.contains("goog-remb") }

    init(_ media: OfferedMedia, _ format: OfferedFormat) throws(OfferError) {
        var wanted = [HeaderExtension.mediaIdentification.uri, AbsoluteCaptureTime.uri]
        if format.feedback.contains("transport-cc") { wanted.append(HeaderExtension.transportSequenceNumber.uri) }
        let extensions = ExtensionIdentifiers(offered: media.extensions, wanted: wanted)
        let feedback = ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc"].filter {
            format.feedback.contains($0) && ($0 != "transport-cc" || extensions.transportSequenceNumber != nil)
        }
        var attributes = [Attribute("rtpmap", format.map.value)]
        if !format.parameters.all.isEmpty {
            attributes.append(Attribute("fmtp", "\(format.payloadType) \(format.parameters.text)"))
        }
        attributes += feedback.map { Attribute("rtcp-fb", "\(format.payloadType) \($0)") }
        // As an RTSP publisher describes it: SRTP is opened before reception.
        let line = MediaDescription(
            kind: media.kindName, port: 9, transport: "RTP/AVPF", formats: ["\(format.payloadType)"],
            attributes: attributes)
        guard let description = line.describedTrack, description.payload.codec != nil, let kind = media.kind else {
            throw .nothingInCommon("the offer has \(format.map.encodingName) in a form that cannot be received")
        }
        self.description = description
        (self.kind, self.extensions, self.feedback) = (kind, extensions, feedback)
        (mid, source) = (media.mid, media.isSimulcast ? nil : media.source)
    }
}
