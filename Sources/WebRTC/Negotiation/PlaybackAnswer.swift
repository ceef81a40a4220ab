import Media
import RTP
import SDP

/// The answer to a player: which tracks of a stream it gets, and how (WHEP).
public struct PlaybackAnswer: Hashable, Sendable {
    public let description: SessionDescription
    /// At most one video and one audio track.
    public let tracks: [PlaybackTrack]
    /// Our role in DTLS.
    public let role: DTLSRole
    /// The certificate of the peer has one of these hashes by each function that is among them.
    public let peerFingerprints: [DTLSFingerprint]
    /// Why tracks of the stream are not sent: sentences without a full stop.
    public let omissions: [String]

    /// The answer as text.
    public var text: String { description.text }

    /// What the answer contains if the browser offers it, and what is known of the tracks.
    public struct Options: Hashable, Sendable {
        /// The extension by which frames are shown at once.
        public var playoutDelay: Bool
        public var captureTime: Bool
        /// Reports about the arrival of packets (transport-cc), which browsers send ten to twenty times a second.
        public var arrivalReports: Bool
        /// Tracks with B-frames, whatever their parameter sets tell.
        public var reorderedTracks: Set<TrackID>

        public init(
            playoutDelay: Bool = true, captureTime: Bool = true, arrivalReports: Bool = true,
            reorderedTracks: Set<TrackID> = []
        ) {
            (self.playoutDelay, self.captureTime) = (playoutDelay, captureTime)
            (self.arrivalReports, self.reorderedTracks) = (arrivalReports, reorderedTracks)
        }
    }

    /// Chooses what is sent.
    ///
    /// A video track that the player cannot receive is an error, because sound alone is not what its user wants to see. Sound that it
    /// cannot receive is left out.
    ///
    /// - Parameters:
    ///   - tracks: those of the stream, the preferred ones of each kind first.
    ///   - sources: four different random sources: of video, its retransmissions, audio, and its retransmissions. All packets of the
    ///     session have the same keys, so the sources must differ.
    public init(
        to offer: Offer, tracks: [Track], options: Options = Options(), sources: [SSRC], _ parameters: AnswerParameters
    ) throws(OfferError) {
        precondition(Set(sources).count == 4, "four different sources")
        var (choices, omissions): ([TrackChoice], [String]) = ([], [])
        for kind in [Codec.Kind.video, .audio] {
            let wanted = tracks.filter { $0.kind == kind }
            let asked = offer.media.indices.filter { offer.media[$0].isReceived(kind) }
            guard !wanted.isEmpty, !asked.isEmpty else { continue }
            do throws(OfferError) {
                let choice = try TrackChoice(of: wanted, reordered: options.reorderedTracks, in: offer, asked)
                if let first = choices.first, !offer.areBundled(offer.media[first.index], offer.media[choice.index]) {
                    throw .notMultiplexed("the offer does not send all media over one transport (a=group:BUNDLE)")
                }
                choices.append(choice)
            } catch {
                // Sound without picture is only sent if the stream has none, or the player asks for none.
                guard kind == .audio, !choices.isEmpty else { throw error }
                omissions.append(error.description)
            }
        }
        guard !choices.isEmpty else { throw Self.nothing(for: offer, of: tracks) }
        let writer = AnswerWriter(offer: offer, accepted: choices.map(\.index), parameters)
        var (accepted, answered): ([Int: MediaDescription], [PlaybackTrack]) = ([:], [])
        for choice in choices {
            let track = PlaybackTrack(
                choice, in: offer, options: options,
                sources: choice.track.kind == .video ? sources[...1] : sources[2...])
            accepted[choice.index] = writer.media(choice, track)
            answered.append(track)
        }
        description = writer.description(accepted)
        self.tracks = answered.sorted { $0.id < $1.id }
        (role, peerFingerprints, self.omissions) = (offer.role, offer.fingerprints, omissions)
    }

    private static func nothing(for offer: Offer, of tracks: [Track]) -> OfferError {
        guard !tracks.isEmpty else { return .nothingInCommon("the stream has no tracks") }
        return .nothingInCommon(
            "the stream has \(tracks.summary), but the offer asks for neither \(tracks.kindNames) in SRTP with a=rtcp-mux"
        )
    }
}

extension [Track] {
    fileprivate var kindNames: String {
        let names = Set(map { $0.kind == .video ? "video" : "audio" }).sorted()
        return names.reversed().joined(separator: " nor ")
    }
}

extension AnswerWriter {
    /// The medium in which a track is sent.
    fileprivate func media(_ choice: TrackChoice, _ track: PlaybackTrack) -> MediaDescription {
        let retransmission = track.retransmission
        var media = media(
            choice.index, format: choice.format, retransmission: retransmission?.payloadType.rawValue,
            direction: "sendonly", extensions: track.extensions)
        // Both media belong to one stream, so that the browser plays them together.
        let name = "\(parameters.streamName) \(choice.track.kind == .video ? "video" : "audio")"
        media.attributes.append(Attribute("msid", name))
        media.attributes += attributes(
            of: choice.format, parameters: choice.format.answered(for: choice.track.format), feedback: track.feedback)
        var sources = [track.ssrc]
        if let retransmission {
            media.attributes += attributes(ofRetransmission: retransmission.payloadType.rawValue, of: choice.format)
            // The group and the source of the media come first: Chromium plays nothing if it reads the other source before.
            media.attributes.append(
                Attribute("ssrc-group", "FID \(track.ssrc.rawValue) \(retransmission.ssrc.rawValue)"))
            sources.append(retransmission.ssrc)
        }
        for source in sources {
            media.attributes += [
                Attribute("ssrc", "\(source.rawValue) cname:\(parameters.canonicalName)"),
                Attribute("ssrc", "\(source.rawValue) msid:\(name)"),
            ]
        }
        return media
    }
}
