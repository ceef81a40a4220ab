import Reactor
import WebRTC

/// A 4-tuple by which a client and a loop exchange datagrams. The port of this end is that of the loop.
struct NetworkPath: Hashable, Sendable {
    let remote: SocketAddress
    /// The address of this end, with port 0; `nil` if the kernel has not reported it.
    let local: SocketAddress?
    /// The TCP connection; `nil` over UDP.
    var connection: Token?

    /// What a connectivity check is answered with (XOR-MAPPED-ADDRESS).
    var mappedAddress: TransportAddress? { TransportAddress(addressBytes: remote.octets, port: remote.port) }
}
