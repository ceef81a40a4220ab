import Media
import RTSP
import Streams

/// A player of HLS, which is known by the label in its URLs.
///
/// ```
///            first request for media        no request for 20 s
///   listed ──────────────────────────▶ playing ─────────────────▶ paused
///                                       │   ▲                        │
///      an operator disconnects it       │   └──────── request ───────┘
///   disconnected ◀──────────────────────┘
/// ```
struct PlaybackSession: Sendable {
    enum State: Sendable {
        /// It has got the list of qualities.
        case listed
        /// It counts as a viewer.
        case playing(Viewing)
        case paused
        case disconnected
    }

    /// A viewer in lists.
    struct Viewing: Sendable {
        /// Never used again for another viewer.
        let number: UInt64
        let startedAt: MonotonicTime
        let count: CountedViewer
    }

    /// The path in its URLs.
    let urlPath: String
    let stream: Streams.Stream
    let client: Client
    let grant: Grant
    /// The client, as the access policy judges it.
    let identity: ClientIdentity
    /// The policy that permitted it, and its version.
    var access: (policy: AccessPolicy?, version: UInt64)
    var state = State.listed
    var lastUse: MonotonicTime

    static let transport = "HLS"

    /// - Parameter stream: that of the request's path.
    init(
        _ request: Request, of stream: Streams.Stream, access: (policy: AccessPolicy?, version: UInt64),
        at now: MonotonicTime
    ) {
        urlPath = request.streamPath ?? stream.path
        (self.stream, self.access, lastUse) = (stream, access, now)
        (client, grant, identity) = (request.client, request.grant, request.identity)
    }

    var viewing: Viewing? {
        if case .playing(let viewing) = state { viewing } else { nil }
    }

    /// Whether a request is of this session: a label that another client has learnt is worth nothing.
    func isOf(_ client: ClientIdentity, _ path: String) -> Bool {
        urlPath == path && identity.endpoint.address == client.endpoint.address && identity.security == client.security
    }

    /// The viewer in events.
    var eventClient: StreamEvent.Client {
        StreamEvent.Client(
            peer: client.peer, name: client.userAgent.isEmpty ? nil : client.userAgent, transport: Self.transport,
            user: grant.user)
    }

    /// The viewer in lists; `nil` unless it plays.
    var status: FollowerStatus? {
        viewing.map { viewing in
            FollowerStatus(
                id: "v\(viewing.number)", path: stream.path, peer: client.peer,
                client: client.userAgent.isEmpty ? nil : client.userAgent, user: grant.user,
                transport: Self.transport, startedAt: viewing.startedAt)
        }
    }
}
