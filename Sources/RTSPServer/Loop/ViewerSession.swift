import Delivery
import Media
import RTSP
import Reactor
import Streams

/// One RTSP session as set up: a viewer of one stream. It ends with its connection.
final class ViewerSession {
    let id: SessionID
    let entry: PathDirectory.Entry
    let viewer: Viewer
    /// All tracks of the stream when the session was made.
    private let layout: [Track]
    /// The client's addresses for RTP and RTCP, reserved for this session.
    var destinations: [SocketAddress] = []
    /// The track of each SETUP by its control name; `nil` names the only track.
    var tracks: [String?: TrackID] = [:]
    /// How its packets are sent, the same for all its tracks.
    var lowerTransport: LowerTransport
    /// Whether a track of it is protected by SRTP.
    var isProtected = false
    /// The client's sockets with an address that a received datagram has confirmed.
    var latchedSockets: Set<ClientSocket> = []
    /// When PLAY was answered.
    var startedAt: MonotonicTime?

    enum LowerTransport: String {
        case udp = "UDP"
        case interleaved = "TCP"
        case multicast = "multicast"
    }

    init(
        id: SessionID, entry: PathDirectory.Entry, layout: [Track], viewer: Viewer, lowerTransport: LowerTransport
    ) {
        self.id = id
        self.entry = entry
        self.layout = layout
        self.viewer = viewer
        self.lowerTransport = lowerTransport
    }

    /// The transport for the log: `UDP`, `TCP`, `TLS`, `multicast`, with the payload unless that is one RTP stream per track.
    var transportName: String {
        let way = viewer.output?.tls == nil ? lowerTransport.rawValue : "TLS"
        if isProtected { return "SRTP over \(way)" }
        return viewer.encapsulation == .transportStream ? "MPEG-TS over \(way)" : way
    }

    /// Whether what was negotiated holds for these tracks of the stream; true if none are known.
    ///
    /// If the tracks change, delivery ends the viewers that play. This check is for sessions that were set up or paused then.
    func isCompatible(with tracks: [Track]?) -> Bool {
        tracks.map { Stream.areCompatible(layout, $0) } ?? true
    }
}

/// The two UDP sockets of a client's track, in the order of a session's destinations.
enum ClientSocket: Int, CaseIterable {
    case rtp
    case rtcp
}

extension Refusal {
    /// The client must start again with DESCRIBE.
    static let tracksHaveChanged = Refusal(
        .sessionNotFound, reason: "Session Not Found: the stream's tracks have changed")
}
