import RTSP
import Reactor

/// Counts connections against ``ConnectionLimits``.
struct ConnectionCounts {
    private let limits: ConnectionLimits
    private(set) var total = 0
    private(set) var unfinishedHandshakes = 0
    private var byAddress: [SocketAddress: Int] = [:]
    /// Connections by IPv6 network (/64).
    private var byNetwork: [SocketAddress: Int] = [:]

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// Counts an accepted connection. One for TLS also counts as an unfinished handshake.
    mutating func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) throws(ConnectionRefusal) {
        let address = peer.with(port: 0)
        if !peer.isLoopback {
            if byAddress[address, default: 0] >= limits.perAddress { throw .tooManyOfAddress }
            if let network = peer.ipv6Network, byNetwork[network, default: 0] >= limits.perNetwork {
                throw .tooManyOfNetwork
            }
        }
        guard total < limits.total else { throw .tooMany }
        if security == .tls {
            guard unfinishedHandshakes < limits.unfinishedHandshakes else { throw .tooManyHandshakes }
            unfinishedHandshakes += 1
        }
        total += 1
        byAddress[address, default: 0] += 1
        if let network = peer.ipv6Network { byNetwork[network, default: 0] += 1 }
    }

    /// Uncounts a connection that has closed.
    mutating func remove(_ peer: SocketAddress) {
        total -= 1
        Self.decrement(&byAddress, peer.with(port: 0))
        if let network = peer.ipv6Network { Self.decrement(&byNetwork, network) }
    }

    /// Uncounts an unfinished handshake, because it is complete or its connection has closed.
    mutating func handshakeEnded() {
        unfinishedHandshakes -= 1
    }

    private static func decrement(_ counts: inout [SocketAddress: Int], _ key: SocketAddress) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }
}

/// Why a connection is refused.
enum ConnectionRefusal: Error, CustomStringConvertible {
    case tooManyOfAddress
    case tooManyOfNetwork
    case tooMany
    case tooManyHandshakes

    var description: String {
        switch self {
        case .tooManyOfAddress: "too many connections from its address"
        case .tooManyOfNetwork: "too many connections from its IPv6 network (/64)"
        case .tooMany: "too many connections"
        case .tooManyHandshakes: "too many TLS handshakes are unfinished"
        }
    }
}
