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
    /// All tracks of the stream when it was made.
    private let layout: [Track]
    /// Client addresses that are taken for it, RTP and RTCP.
    var destinations: [SocketAddress] = []
    /// The track of each SETUP, by its control name; `nil` names the only one.
    var tracks: [String?: TrackID] = [:]
    /// How its packets travel: one way for all its tracks.
    var lowerTransport: LowerTransport
    /// Whether a track of it is encrypted packet by packet.
    var isProtected = false
    /// On which of its UDP sockets the client was heard: where those are is known.
    var heard: Set<ClientSocket> = []
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

    /// For the log: `UDP`, `TCP`, `TLS`, `multicast`, and what travels there where it is not one RTP stream per track.
    var transportName: String {
        let way = viewer.output?.tls == nil ? lowerTransport.rawValue : "TLS"
        if isProtected { return "SRTP over \(way)" }
        return viewer.encapsulation == .transportStream ? "MPEG-TS over \(way)" : way
    }

    /// Whether what was negotiated holds now that the stream's tracks are these; without any, nothing is known against it.
    ///
    /// Delivery ends who plays when the tracks change; this is for who was only set up by then, or paused.
    func holds(for tracks: [Track]?) -> Bool {
        tracks.map { Stream.areCompatible(layout, $0) } ?? true
    }
}

/// The two UDP sockets of a client's track, in the order of a session's destinations.
enum ClientSocket: Int, CaseIterable {
    case rtp
    case rtcp
}

extension Refusal {
    /// The client starts again with DESCRIBE.
    static let tracksHaveChanged = Refusal(
        .sessionNotFound, reason: "Session Not Found: the stream's tracks have changed")
}
