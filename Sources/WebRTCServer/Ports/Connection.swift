import Delivery
import Media
import Reactor
import WebRTC

/// A TCP connection of a client whose network blocks UDP (RFC 6544): datagrams in frames (RFC 4571). Confined to its loop.
final class Connection {
    let token: Token
    let peer: SocketAddress
    let output: TCPOutput
    let path: NetworkPath
    var frames = FramedDatagrams()
    var interest: Interest = .read

    init(_ socket: consuming TCPSocket, token: Token, peer: SocketAddress, at now: MonotonicTime) {
        (self.token, self.peer) = (token, peer)
        path = NetworkPath(remote: peer, local: nil, connection: token)
        output = TCPOutput(socket: socket, at: now)
    }

    /// Bytes of reports and checks that may wait for a client that takes nothing.
    static let maximumPendingByteCount = 65_536
    /// How long a connection may belong to no session, in nanoseconds.
    static let adoptionTime: Int64 = 10_000_000_000
}
