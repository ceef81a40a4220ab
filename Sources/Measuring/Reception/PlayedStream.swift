import Media
import RTSPClient
import Reactor
import SDP
import WebRTCClient

/// A stream that is received in RTP packets, and the protocol by which it is played.
public enum PlayedStream: Sendable {
    case rtsp(SessionPlan)
    case whep(PlaybackPlan)

    /// The transport of WHEP in reports.
    private static let webRTCTransport = "webrtc"

    /// What begins playback over a transport, in the words of reports.
    static func answer(over transportName: String) -> String {
        transportName == webRTCTransport ? "handshake complete" : "PLAY answered"
    }

    /// The URL without user and password.
    public var url: String {
        switch self {
        case .rtsp(let plan): plan.url.text
        case .whep(let plan): plan.endpoint.text
        }
    }

    /// The transport as in reports.
    var transportName: String {
        switch self {
        case .rtsp(let plan): plan.transport.rawValue
        case .whep: Self.webRTCTransport
        }
    }

    /// The transport that the user may choose; `nil` if there is no choice.
    public var transport: SessionTransport? {
        switch self {
        case .rtsp(let plan): plan.transport
        case .whep: nil
        }
    }

    /// The first address of the server; `nil` if it is not known.
    var serverAddress: SocketAddress? {
        switch self {
        case .rtsp(let plan): plan.addresses?.first
        case .whep(let plan): plan.addresses.first
        }
    }

    /// How GSO batches arrive; `nil` unless over UDP.
    var gsoBatchArrival: GSOBatchArrival? {
        switch self {
        case .rtsp(let plan): plan.transport == .tcp ? nil : plan.gsoBatchArrival
        case .whep(let plan): plan.gsoBatchArrival
        }
    }

    /// How long a missing packet is awaited, in nanoseconds, if missing packets are requested; `nil` if they are not.
    public var repairPatience: Int64? {
        get {
            switch self {
            case .rtsp(let plan): plan.repairPatience
            case .whep(let plan): plan.repairPatience
            }
        }
        set {
            switch self {
            case .rtsp(var plan):
                plan.repairPatience = newValue
                self = .rtsp(plan)
            case .whep(var plan):
                plan.repairPatience = newValue
                self = .whep(plan)
            }
        }
    }

    /// Whether lost packets of these tracks are repaired.
    func repair(of tracks: [DescribedTrack]) -> RepairUse {
        if let transport, transport != .udp { return .none }
        guard repairPatience != nil else { return .off }
        return tracks.contains(where: \.repeatsLostPackets) ? .requested : .notOffered
    }

    /// Begins a session.
    func open(in sessions: Sessions, at now: MonotonicTime) -> SessionNumber {
        switch self {
        case .rtsp(let plan): sessions.open(plan, at: now)
        case .whep(let plan): sessions.open(plan, at: now)
        }
    }
}
