import Delivery
import Media
import RTSP
import Reactor
import Streams

/// What one RTSP session has set up: a viewer of one stream. Born and dying with the connection that made it.
final class Session {
    let id: SessionID
    let entry: PathDirectory.Entry
    let viewer: Viewer
    /// Client addresses that are taken for it, RTP and RTCP.
    var destinations: [SocketAddress] = []
    /// The track of each SETUP, by its control name; `nil` names the only one.
    var tracks: [String?: TrackID] = [:]
    /// How its packets travel: one way for all its tracks.
    var lowerTransport: LowerTransport
    /// Whether the client was heard on its UDP ports.
    var isHeard = false
    /// When PLAY was answered.
    var startedAt: MonotonicTime?

    enum LowerTransport: String {
        case udp = "UDP"
        case interleaved = "TCP"
        case multicast = "multicast"
    }

    init(id: SessionID, entry: PathDirectory.Entry, viewer: Viewer, lowerTransport: LowerTransport) {
        self.id = id
        self.entry = entry
        self.viewer = viewer
        self.lowerTransport = lowerTransport
    }
}
