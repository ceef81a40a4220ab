import Media
import RTP

/// How a track is sent to a player, in the player's numbers.
public struct PlaybackTrack: Hashable, Sendable {
    public let id: TrackID
    /// The name of its medium, which packets may carry; `nil` if the offer gives none.
    public let mid: String?
    public let payloadType: PayloadType
    public let ssrc: SSRC
    /// Where lost packets are sent again; `nil` if they are sent again as they were.
    public let retransmission: RetransmissionStream?
    public let extensions: ExtensionIdentifiers
    /// The feedback that the player may send for it.
    public let feedback: [String]
    /// Whether the player tells its time, and wants to know how old that is (RFC 3611, sections 4.4 and 4.5).
    public let reportsReceiverTime: Bool

    public var takesNACK: Bool { feedback.contains("nack") }
    public var takesTransportFeedback: Bool {
        feedback.contains("transport-cc") && extensions.transportSequenceNumber != nil
    }

    /// An RTP stream of lost packets (RFC 4588).
    public struct RetransmissionStream: Hashable, Sendable {
        public let payloadType: PayloadType
        public let ssrc: SSRC
    }

    init(_ choice: TrackChoice, in offer: Offer, options: PlaybackAnswer.Options, sources: ArraySlice<SSRC>) {
        let media = offer.media[choice.index]
        let isVideo = choice.track.kind == .video
        var wanted = [HeaderExtension.mediaIdentification.uri]
        if options.playoutDelay { wanted.append(HeaderExtension.playoutDelay.uri) }
        if options.captureTime { wanted.append(AbsoluteCaptureTime.uri) }
        // Only the packets of video are numbered for the whole transport, so their sequence numbers are the numbers, and a packet that
        // is sent again keeps its bytes.
        let isMeasured = isVideo && options.arrivalReports && choice.format.feedback.contains("transport-cc")
        if isMeasured { wanted.append(HeaderExtension.transportSequenceNumber.uri) }
        id = choice.track.id
        mid = media.mid
        payloadType = PayloadType(lowBitsOf: choice.format.payloadType)
        ssrc = sources[sources.startIndex]
        retransmission = choice.format.retransmission.map {
            RetransmissionStream(payloadType: PayloadType(lowBitsOf: $0), ssrc: sources[sources.startIndex + 1])
        }
        extensions = ExtensionIdentifiers(offered: media.extensions, wanted: wanted)
        let hasNumber = extensions.transportSequenceNumber != nil
        feedback = ["nack", "nack pli", "ccm fir", "goog-remb", "transport-cc", "rrtr"].filter {
            choice.format.feedback.contains($0) && ($0 != "transport-cc" || hasNumber)
        }
        reportsReceiverTime = media.reportsReceiverTime
    }
}
