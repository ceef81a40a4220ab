import Media
import RTP
import SDP

/// What a server sends to a player, by the player's offer and the server's answer.
public struct PlaybackAgreement: Hashable, Sendable {
    /// At most one video and one audio track, in the order of the answer.
    public let tracks: [AgreedTrack]
    /// The answer with the media of the tracks alone.
    public let description: SessionDescription

    /// A track, and what the player may do about lost packets.
    public struct AgreedTrack: Hashable, Sendable {
        /// How the track comes.
        public let track: PublishedTrack
        /// The payload type of packets that are sent again (RFC 4588); `nil` if they are sent again as they were.
        public var retransmission: PayloadType? { track.retransmission }
    }

    public init(_ answer: ReceivedAnswer, to offer: PlaybackOffer) throws(AnswerError) {
        let offered = offer.description.media.map { OfferedMedia($0, in: offer.description) }
        guard answer.media.count == offered.count else {
            throw .unusable("the answer has \(answer.media.count) media for the \(offered.count) of the offer")
        }
        var (tracks, lines): ([AgreedTrack], [MediaDescription]) = ([], [])
        for (index, media) in answer.media.enumerated() where !media.isDisabled && media.direction.sends {
            guard media.kind == offered[index].kind else {
                throw .unusable("the answer has \(media.kindName) in place of \(offered[index].kindName)")
            }
            guard media.isEncrypted, media.multiplexesReports else {
                throw .unusable("the answer has \(media.kindName) without SRTP or a=rtcp-mux")
            }
            tracks.append(try Self.track(media, offered[index]))
            lines.append(answer.description.media[index])
        }
        guard !tracks.isEmpty else { throw .nothingSent }
        self.tracks = tracks
        var description = answer.description
        description.media = lines
        self.description = description
    }

    /// The track in the first format that was offered.
    private static func track(_ media: OfferedMedia, _ offered: OfferedMedia) throws(AnswerError) -> AgreedTrack {
        let format = media.formats.first { format in
            offered.formats.contains {
                $0.payloadType == format.payloadType && $0.isNamed(format.map.encodingName.lowercased())
            }
        }
        guard let format else {
            let names = media.formats.map(\.map.encodingName).joined(separator: ", ")
            throw .unusable("the answer has \(media.kindName) in a format that was not offered: \(names)")
        }
        do throws(OfferError) {
            return AgreedTrack(track: try PublishedTrack(media, format))
        } catch {
            throw AnswerError(error)
        }
    }
}
