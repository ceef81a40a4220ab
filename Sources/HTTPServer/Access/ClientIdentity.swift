import HTTP
import RTSP
import Reactor

/// Which client a request comes from, if proxies are on the way.
struct ClientIdentity: Hashable {
    /// The client's address, as the access policy judges it.
    let endpoint: Endpoint
    /// Whether the client uses TLS, perhaps only to a trusted proxy.
    let security: ConnectionSecurity
    /// The client in logs and reports: its address, with the port if it is the other end of the connection.
    let name: String
    /// `nil` if it is unreadable.
    let address: IPAddress?

    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - host: what the request calls this server.
    init(
        peer: SocketAddress, security: ConnectionSecurity, host: Authority, forwarding: Forwarding,
        trustedProxies: [AddressBlock]
    ) {
        func isTrusted(_ address: String) -> Bool {
            guard let address = IPAddress(address) else { return false }
            return trustedProxies.contains { $0.contains(address) }
        }
        let isFromProxy = forwarding.isMentioned && isTrusted(peer.host)
        let client = isFromProxy ? forwarding.client(isTrusted: isTrusted) : nil
        name = client ?? peer.description
        // A proxy on this host makes every client look like one on this host, and so does a name that a browser was made to
        // resolve to a loopback address.
        endpoint = Endpoint(
            address: client ?? peer.host,
            isLoopback: peer.isLoopback && !forwarding.isMentioned && OwnHosts.isLoopback(host))
        address = IPAddress(endpoint.address)
        self.security = isFromProxy && forwarding.isSecure ? .tls : security
    }
}
