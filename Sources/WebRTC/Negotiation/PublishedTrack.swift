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
    /// The payload type of packets that are sent again (RFC 4588); `nil` if they are sent again as they were.
    public let retransmission: PayloadType?
    /// Whether the publisher takes RTCP that begins with feedback, without a report before it (RFC 5506).
    public let takesReducedReports: Bool

    /// Whether the publisher adapts its rate to the arrival times of its packets.
    public var takesTransportFeedback: Bool {
        feedback.contains("transport-cc") && extensions.transportSequenceNumber != nil
    }

    /// The longest parameters of a format, in bytes of `a=fmtp`: three times what the parameter sets of H.265 take.
    /// Sessions to which no client has connected keep them.
    static let parameterLimit = 1_024

    init(_ media: OfferedMedia, _ format: OfferedFormat) throws(OfferError) {
        let parameters = format.parameters.text
        guard parameters.utf8.count <= Self.parameterLimit else {
            throw .attributeTooLong("fmtp", limit: Self.parameterLimit)
        }
        var wanted = [HeaderExtension.mediaIdentification.uri, AbsoluteCaptureTime.uri]
        if format.feedback.contains("transport-cc") { wanted.append(HeaderExtension.transportSequenceNumber.uri) }
        let extensions = ExtensionIdentifiers(offered: media.extensions, wanted: wanted)
        let feedback = ["nack", "nack pli", "ccm fir", "transport-cc"].filter {
            format.feedback.contains($0) && ($0 != "transport-cc" || extensions.transportSequenceNumber != nil)
        }
        var attributes = [Attribute("rtpmap", format.map.value)]
        if !parameters.isEmpty { attributes.append(Attribute("fmtp", "\(format.payloadType) \(parameters)")) }
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
        retransmission = format.retransmission.map { PayloadType(lowBitsOf: $0) }
        takesReducedReports = media.reducesReports
        (mid, source) = (media.mid, media.isSimulcast ? nil : media.source)
    }
}
