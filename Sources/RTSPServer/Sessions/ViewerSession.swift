import Delivery
import Media
import RTP
import RTSP
import Reactor
import Streams

/// One RTSP session as set up: a viewer of one stream. It ends with its connection.
final class ViewerSession {
    let id: SessionID
    /// Names it for operators. Unlike `id`, it gives no access to the session.
    let viewerID: ViewerID
    let entry: PathDirectory.Entry
    let viewer: Viewer
    /// Makes the source of an on-demand stream run as long as the session.
    private let use: StreamUse
    /// The same for what encodes tracks that its protocol cannot carry.
    private let sourceUse: StreamUse
    /// All tracks of the stream when the session was made.
    private let layout: [Track]
    /// How its packets are sent, the same for all its tracks.
    let lowerTransport: LowerTransport
    /// The user that set it up; `nil` without authentication.
    let user: String?
    /// The track of each SETUP by its control name; `nil` names the only track.
    var tracks: [String?: TrackID] = [:]
    /// Whether a track of it is protected by SRTP.
    var isProtected = false
    /// When PLAY was answered.
    var startedAt: MonotonicTime?

    enum LowerTransport: String {
        case udp = "UDP"
        case interleaved = "TCP"
        case multicast = "multicast"
    }

    init(
        id: SessionID, viewerID: ViewerID, entry: PathDirectory.Entry, layout: [Track], viewer: Viewer,
        lowerTransport: LowerTransport, user: String?
    ) {
        (self.id, self.viewerID, self.user) = (id, viewerID, user)
        self.entry = entry
        use = StreamUse(of: entry.stream)
        sourceUse = StreamUse(of: DeliveryLoop.source(of: entry.stream, for: viewer.encapsulation))
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

    /// Its client, as events describe it.
    func eventClient(on connection: Connection) -> StreamEvent.Client {
        StreamEvent.Client(
            peer: "\(connection.peer)", name: connection.client.userAgent, transport: transportName, user: user)
    }

    /// Whether what was negotiated holds for these tracks of the stream; true if none are known.
    ///
    /// If the tracks change, delivery ends the viewers that play. This check is for sessions that were set up or paused then.
    func isCompatible(with tracks: [Track]?) -> Bool {
        tracks.map { layout.isCompatible(with: $0) } ?? true
    }

    /// The key of its multicast group.
    var groupKey: GroupKey { GroupKey(stream: entry.stream, encapsulation: viewer.encapsulation) }

    /// Whether a withdrawal of its stream affects it.
    func isAffected(by withdrawal: Withdrawal) -> Bool {
        switch withdrawal {
        case .stream, .end, .permissionLost, .disconnected: true
        case .groups: lowerTransport == .multicast
        // These end publishers only; the stream keeps its viewers.
        case .silence, .unusable, .goodbye, .takenOver: false
        }
    }

    /// Sends all tracks that the SETUP names as `viewerTrack`.
    ///
    /// - Parameters:
    ///   - track: `nil` for all tracks in one transport stream.
    ///   - limits: how much may be sent again.
    func setUp(
        _ track: Track?, control: String?, as viewerTrack: ViewerTrack, limits: RetransmissionBudget.Limits
    ) {
        if let track {
            viewer.setUp(track.id, as: viewerTrack, limits: limits)
        } else {
            viewer.setUpAll(as: viewerTrack)
        }
        tracks[control] = track?.id ?? TrackID(0)
    }
}

extension TransportOffer {
    /// How packets are sent if this offer is accepted.
    var lowerTransport: ViewerSession.LowerTransport {
        switch self {
        case .udp: .udp
        case .interleaved: .interleaved
        case .multicast: .multicast
        }
    }
}
