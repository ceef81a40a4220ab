import Delivery
import Media
import RTSP
import Reactor
import Serving
import TLS

/// One RTSP connection bound to its socket: the state machine, its output, its sessions. Confined to its loop.
final class Connection {
    let token: Token
    let peer: SocketAddress
    let local: SocketAddress
    let output: TCPOutput
    var machine: ServerConnection
    var sessions: [SessionID: ViewerSession] = [:]
    /// The session of a stream that the client publishes.
    var publisher: PublisherSession?
    /// The keys of our reports on the stream that the client has announced; `nil` before its ANNOUNCE.
    var reportKeys: ReportKeys?
    /// What is known about the client.
    var client = ConnectedClient()
    var log = ConnectionLog()
    /// How far the connection has come to its end, and what it takes part in.
    var state: ConnectionState

    /// - Parameter tls: the TLS connection, if any.
    init(
        token: Token, socket: consuming TCPSocket, tls: TLSConnection?, peer: SocketAddress, local: SocketAddress,
        configuration: ServerConnection.Configuration, admission: Admission, at now: MonotonicTime
    ) {
        self.token = token
        self.peer = peer
        self.local = local
        state = ConnectionState(isHandshakeCounted: tls != nil)
        output = TCPOutput(socket: socket, tls: tls, at: now)
        machine = ServerConnection(
            configuration: configuration, access: admission.policy, lockOut: admission.lockOut,
            peer: Endpoint(address: peer.host, isLoopback: peer.isLoopback),
            local: Endpoint(address: local.host, isLoopback: local.isLoopback),
            security: tls == nil ? .clear : .tls, at: now)
    }

    /// The next deadline of its handshake or its state machine.
    var nextDeadline: MonotonicTime? {
        [output.tls?.nextDeadline, machine.nextDeadline].compactMap(\.self).min()
    }

    /// Whether messages that have been received can be processed now: not while too many replies wait.
    func canContinue(maximumPendingReplyBytes: Int) -> Bool {
        machine.hasUnprocessedMessages && state.closing == nil && output.pendingByteCount < maximumPendingReplyBytes
    }

    /// The events to watch the socket for. No requests are read while too many replies wait.
    func wantedInterest(maximumPendingReplyBytes: Int) -> Interest {
        var wanted: Interest = []
        if state.closing == nil, machine.wantsBytes, output.pendingByteCount < maximumPendingReplyBytes {
            wanted.insert(.read)
        }
        if output.isBlocked { wanted.insert(.write) }
        return wanted
    }
}

/// How far a connection has come to its end, and which lists of its loop contain it.
struct ConnectionState {
    /// Why it closes, once that is known. Pending output is sent first.
    var closing: CloseReason?
    /// Whether the client has ended its direction, or the socket failed: nothing is left to read.
    var hasPeerEnded = false
    /// The events that the loop watches its socket for.
    var interest: Interest = .read
    /// Whether it counts as an unfinished TLS handshake.
    var isHandshakeCounted: Bool
    /// Whether it is in the loop's list of connections with unprocessed messages.
    var isListedBacklogged = false
    /// Whether the loop settles it at the end of the turn.
    var isTouched = false

    init(isHandshakeCounted: Bool) {
        self.isHandshakeCounted = isHandshakeCounted
    }
}

/// What has been logged about a connection.
struct ConnectionLog {
    /// The last logged refusal. It is logged once, even if a client repeats the request, as GStreamer does.
    var lastRefusal: AccessFailure?
    /// Whether a request without a user and password was refused, and no later request was accepted.
    var isMissingCredentials = false
    /// Limits the messages about its sessions, in case a client plays and pauses all the time.
    var activity = LogRateLimiter(burst: 8, interval: 10_000_000_000)
}
