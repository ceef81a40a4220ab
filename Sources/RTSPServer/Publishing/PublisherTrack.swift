import Delivery
import Media
import RTP
import RTSP
import Reactor
import SDP
import SRTP

/// One track that a client publishes: where its packets come from, and which of them are taken. Loop thread only.
struct PublisherTrack {
    enum Route {
        case interleaved(ChannelPair)
        /// Receiver reports go over the route. Its destinations are the client's ports, and move if NAT changes them.
        case udp(UDPRoute)
    }

    /// The index of its medium in the announced description.
    let medium: Int
    let route: Route
    /// The number of the payload format in the packets.
    let payloadType: UInt8?
    /// The number of its RTP stream in the reception; `nil` before RECORD, and for a medium that is accepted and not used, such as
    /// metadata of a camera.
    var index: Int?
    /// `nil` without SRTP.
    let protection: ReceptionProtection?
    var admission: TrackAdmission
    /// The UDP ports of the client that were confirmed by a packet.
    var latched: Set<UDPPort> = []
    /// Whether its source has said goodbye since its last packet.
    var hasSaidGoodbye = false

    init(_ medium: Int, of description: SessionDescription, route: Route, protection: ReceptionProtection?) {
        self.medium = medium
        self.route = route
        self.protection = protection
        let described = description.media[medium].describedTrack
        payloadType = described?.payloadType
        let isInterleaved = if case .interleaved = route { true } else { false }
        admission = TrackAdmission(
            payloadType: described?.payloadType ?? 0, clockRate: described?.clockRate ?? .video, announced: nil,
            isPrivate: isInterleaved || protection != nil)
    }
}
