import Delivery
import Media
import RTMP
import RTMPDelivery
import RTSP
import Reactor
import Streams
import TLS

/// One connection bound to its socket: the state machine, its output, and what the client publishes or plays. Confined to its loop.
final class Connection {
    /// What the client does.
    enum Role {
        case none
        /// A player waits for the first media of a stream.
        case waiting(Waiting)
        case publishing(Publisher)
        case playing(Player, PlayerAudience)
    }

    /// A player that waits.
    struct Waiting {
        let path: OfferedPath
        let grant: Grant
        /// When it is answered in any case.
        let deadline: MonotonicTime
        /// Makes the source of an on-demand stream run.
        let use: StreamUse
        /// Makes the stream exist in which tracks are encoded again.
        var companionUse: StreamUse?
    }

    /// What is to be decided, outside of the loop.
    enum Question {
        case mayPublish(String, ExternalAuthorisationRequest)
        case mayPlay(String, ExternalAuthorisationRequest)
        /// A path is being created for a publisher.
        case creates(String, Grant)
    }

    /// A refusal that comes later, because the client has sent a wrong password.
    struct DelayedRefusal {
        let deadline: MonotonicTime
        let refusal: Refusal

        enum Refusal {
            case connect(ConnectRejection)
            case stream(RTMP.StatusCode, String)
        }
    }

    /// Why it closes, once that is known.
    struct Closing {
        let reason: String
        let departure: ViewerCounts.Departure
    }

    let token: Token
    /// Names the connection for the external authoriser; it cannot be guessed.
    let name =
        "\(String(UInt64.random(in: .min ... .max), radix: 16))\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let peer: SocketAddress
    let local: SocketAddress
    let output: TCPOutput
    let transport: MessageTransport
    let access: ConnectionAccess
    var session: RTMPServerSession
    var role = Role.none
    var question: Question?
    var delayed: DelayedRefusal?
    /// Increases with each role and question, so that late answers are recognised.
    var stepNumber = 0
    /// Pending output is sent before it closes.
    var closing: Closing?
    /// Whether the client has ended its direction, or the socket failed: nothing is left to read.
    var hasPeerEnded = false
    /// Whether it counts as an unfinished TLS handshake.
    var isHandshakeCounted: Bool
    var interest: Interest = .read
    var deadline: MonotonicTime?
    var isTouched = false
    /// The bytes that are still read after its end.
    var lingeringByteBudget = 65_536
    /// When it was accepted, or the client last published or played.
    var idleSince: MonotonicTime
    /// When the client was last asked for an answer.
    var lastPing: MonotonicTime
    /// When it last began to play.
    private var lastJoin: MonotonicTime?

    init(
        token: Token, socket: consuming TCPSocket, tls: TLSConnection?, peer: SocketAddress, local: SocketAddress,
        random: [UInt8], _ context: ServerContext, at now: MonotonicTime
    ) {
        (self.token, self.peer, self.local) = (token, peer, local)
        output = TCPOutput(socket: socket, tls: tls, at: now)
        transport = MessageTransport(output)
        access = ConnectionAccess(
            context, Endpoint(address: peer.host, isLoopback: peer.isLoopback), tls == nil ? .clear : .tls)
        session = RTMPServerSession(random: random, authenticationCode: { context.authenticationCode })
        isHandshakeCounted = tls != nil
        (idleSince, lastPing) = (now, now)
    }

    /// As status and log name it.
    var transportName: String { output.tls == nil ? "RTMP" : "RTMPS" }

    /// What the client calls itself; `nil` if it does not.
    var clientName: String? {
        session.parameters.flatMap { $0.flashVersion.isEmpty ? nil : String($0.flashVersion.prefix(200)) }
    }

    var player: Player? { if case .playing(let player, _) = role { player } else { nil } }
    var publisher: Publisher? { if case .publishing(let publisher) = role { publisher } else { nil } }

    /// The minimum time between two joins with a fast start, in nanoseconds: a client that plays again and again must not cost the loop
    /// its time.
    private static let joinInterval: Int64 = 500_000_000

    /// Notes that the client begins to play; false if it has just done so.
    func allowsFastStart(at now: MonotonicTime) -> Bool {
        defer { lastJoin = now }
        return lastJoin.map { now - $0 >= Self.joinInterval } ?? true
    }

    /// Whether bytes are read from the socket: not while something is decided, or too many answers wait.
    func wantsBytes(maximumPendingByteCount: Int) -> Bool {
        closing == nil && !session.isWaiting && delayed == nil
            && transport.pendingByteCount < maximumPendingByteCount
    }

    /// The events to watch the socket for.
    func wantedInterest(maximumPendingByteCount: Int) -> Interest {
        var wanted: Interest = []
        if wantsBytes(maximumPendingByteCount: maximumPendingByteCount) { wanted.insert(.read) }
        if output.isBlocked { wanted.insert(.write) }
        return wanted
    }

    /// The time between two pings to a player, in nanoseconds.
    static let pingInterval: Int64 = 20_000_000_000

    /// When something of it is due.
    func nextDeadline(_ options: ServerOptions) -> MonotonicTime {
        if closing != nil { return output.lastProgress + options.policy.maximumStall }
        var next = output.tls?.nextDeadline ?? .distantFuture
        if let delayed { next = min(next, delayed.deadline) }
        switch role {
        case .none where question == nil && delayed == nil && !session.isWaiting:
            let seconds = session.parameters == nil ? options.handshakeSeconds : options.idleSeconds
            next = min(next, idleSince.advanced(byMilliseconds: Int64(seconds) * 1_000))
        case .none, .waiting: break
        case .publishing(let publisher): next = min(next, publisher.reception.nextDeadline)
        case .playing: next = min(next, lastPing + Self.pingInterval)
        }
        return next
    }

    /// The client, as events describe it.
    func eventClient(_ grant: Grant) -> StreamEvent.Client {
        StreamEvent.Client(peer: "\(peer)", name: clientName, transport: transportName, user: grant.user)
    }
}
