import Delivery
import Media
import RTSP
import Reactor

/// One RTSP connection bound to its socket: the machine, its output, its sessions. Confined to its loop.
final class Connection {
    let token: Token
    let peer: SocketAddress
    let local: SocketAddress
    let output: TCPOutput
    var machine: ServerConnection
    var sessions: [SessionID: Session] = [:]
    /// What the client calls itself, for the log.
    var userAgent: String?
    /// Why it ends, once that is known: what is still to be written goes out first.
    var closing: CloseReason?
    /// What the loop watches its socket for.
    var interest: Interest = .read

    init(
        token: Token, socket: consuming TCPSocket, peer: SocketAddress, local: SocketAddress,
        configuration: ServerConnection.Configuration, at now: MonotonicTime
    ) {
        self.token = token
        self.peer = peer
        self.local = local
        output = TCPOutput(socket: socket, at: now)
        machine = ServerConnection(
            configuration: configuration, peer: Endpoint(address: peer.host, isLoopback: peer.isLoopback),
            local: Endpoint(address: local.host, isLoopback: local.isLoopback), at: now)
    }

    /// What the socket should be watched for: requests wait while replies do.
    func wantedInterest(maximumPendingReplyBytes: Int) -> Interest {
        var wanted: Interest = []
        if closing == nil, machine.wantsBytes, output.pendingByteCount < maximumPendingReplyBytes { wanted.insert(.read) }
        if output.isBlocked { wanted.insert(.write) }
        return wanted
    }
}
