import Media
import RTP
import SDP

/// The answer to a publisher: what it may send (WHIP, RFC 9725).
///
/// All audio and video of the offer is taken, or the offer is refused: there are no partial answers. Simulcast is not answered, so that
/// the publisher sends one version. Lost packets may be sent again in a stream of their own, because FFmpeg knows no
/// other way.
public struct PublishingAnswer: Hashable, Sendable {
    public let description: SessionDescription
    /// At most one video and one audio track, in the order of the offer.
    public let tracks: [PublishedTrack]
    /// Our role in DTLS.
    public let role: DTLSRole
    /// The certificate of the peer has one of these hashes by each function that is among them.
    public let peerFingerprints: [DTLSFingerprint]
    /// Whether the publisher offered several versions of the picture.
    public let isSimulcastDeclined: Bool

    /// The answer as text.
    public var text: String { description.text }

    public init(to offer: Offer, _ parameters: AnswerParameters) throws(OfferError) {
        let sent = offer.media.indices.filter { index in
            let media = offer.media[index]
            return media.kind != nil && !media.isDisabled && media.direction.sends
        }
        guard let first = sent.first else { throw .nothingInCommon("the offer sends neither video nor audio") }
        for kind in [Codec.Kind.video, .audio] where sent.count(where: { offer.media[$0].kind == kind }) > 1 {
            throw .tooMuch("the offer sends more than one \(kind == .video ? "video" : "audio") track")
        }
        let writer = AnswerWriter(offer: offer, accepted: sent, parameters)
        var (accepted, tracks): ([Int: MediaDescription], [PublishedTrack]) = ([:], [])
        for index in sent {
            let media = offer.media[index]
            guard media.isEncrypted, media.multiplexesReports else {
                throw .notMultiplexed("the offer has \(media.kindName) without SRTP or a=rtcp-mux")
            }
            guard index == first || offer.areBundled(offer.media[first], media) else {
                throw .notMultiplexed("the offer does not send all media over one transport (a=group:BUNDLE)")
            }
            let format = try Self.format(of: media)
            let track = try PublishedTrack(media, format)
            tracks.append(track)
            var answer = writer.media(
                index, format: format, retransmission: format.retransmission, direction: "recvonly",
                extensions: track.extensions)
            answer.attributes += writer.attributes(
                of: format, parameters: format.parameters.text, feedback: track.feedback)
            if let retransmission = format.retransmission {
                answer.attributes += writer.attributes(ofRetransmission: retransmission, of: format)
            }
            accepted[index] = answer
        }
        description = writer.description(accepted)
        self.tracks = tracks
        (role, peerFingerprints) = (offer.role, offer.fingerprints)
        isSimulcastDeclined = sent.contains { offer.media[$0].isSimulcast }
    }

    /// The format to send. H.264 comes before H.265, because more viewers can receive it; in other respects the publisher's order counts.
    private static func format(of media: OfferedMedia) throws(OfferError) -> OfferedFormat {
        let preferences: [(OfferedFormat) -> Bool] =
            media.kind == .video
            ? [
                { $0.isNamed("h264") && $0.allowsFragments },
                { $0.isNamed("h264") && $0.number("packetization-mode") ?? 0 == 0 },
                { $0.isNamed("h265") },
            ] : [{ $0.isNamed("opus") }, { $0.isNamed("pcma") || $0.isNamed("pcmu") }]
        for isPreferred in preferences {
            if let format = media.formats.first(where: isPreferred) { return format }
        }
        let names = media.formats.map(\.map.encodingName).unique.joined(separator: ", ")
        throw .nothingInCommon(
            "\(media.kind == .video ? "H.264 or H.265" : "Opus or G.711") is needed, but the offer has "
                + (names.isEmpty ? "no \(media.kindName) format" : names))
    }
}

extension [String] {
    /// The elements without repetitions.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
