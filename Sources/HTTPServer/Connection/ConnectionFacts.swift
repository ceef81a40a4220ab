import HTTP
import RTSP
import Reactor
import Serving

/// What is known of a connection since it was accepted. Confined to the event loop.
final class ConnectionFacts {
    let peer: SocketAddress
    let local: SocketAddress
    let security: ConnectionSecurity
    let counts: CountedConnection
    /// The live bodies of the connection.
    var viewerCount = 0
    /// What the last request called this server, and what it means.
    var lastHost: (text: String, host: Authority)?
    /// The client of the last request that mentions no proxy, and what it called this server.
    var lastClient: (host: Authority, client: ClientIdentity)?
    /// Names the connection for the external authoriser; it cannot be guessed.
    private(set) lazy var name: String = {
        var numbers = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(numbers.next() as UInt64, radix: 16) }.joined(separator: "-")
    }()

    init(peer: SocketAddress, local: SocketAddress, security: ConnectionSecurity, counts: CountedConnection) {
        (self.peer, self.local, self.security, self.counts) = (peer, local, security, counts)
    }
}

/// A connection that counts against the limits as long as this object lives. Confined to the event loop.
final class CountedConnection {
    private let services: any SharedServices
    private let peer: SocketAddress
    private var isHandshakeCounted: Bool

    /// - Throws: why the connection is refused.
    init(_ peer: SocketAddress, _ security: ConnectionSecurity, by services: any SharedServices)
        throws(ConnectionRefusal)
    {
        if let reason = services.admit(peer, security) { throw ConnectionRefusal(reason: reason) }
        (self.services, self.peer, isHandshakeCounted) = (services, peer, security == .tls)
    }

    /// The TLS handshake is complete.
    func handshakeEnded() {
        guard isHandshakeCounted else { return }
        isHandshakeCounted = false
        services.handshakeEnded()
    }

    deinit {
        if isHandshakeCounted { services.handshakeEnded() }
        services.left(peer)
    }
}

/// Why a connection is refused.
struct ConnectionRefusal: Error {
    let reason: String
}

extension SocketAddress {
    /// The host as in a URL.
    var bracketedHost: String { family == .ipv6 ? "[\(host)]" : host }
}
