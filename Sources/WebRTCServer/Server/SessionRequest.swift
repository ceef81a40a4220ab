import RTSP
import Reactor
import WebRTC

/// An offer of a client that the HTTP server has authorised.
public struct SessionRequest: Sendable {
    /// The client of the HTTP request.
    public struct Client: Sendable {
        public let endpoint: Endpoint
        public let security: ConnectionSecurity
        /// Its `User-Agent`; `nil` if it sent none.
        public let userAgent: String?
        /// The address of this server that it has connected to; `nil` if that is unknown.
        public let serverAddress: String?

        public init(
            endpoint: Endpoint, security: ConnectionSecurity, userAgent: String?, serverAddress: String? = nil
        ) {
            (self.endpoint, self.security, self.userAgent) = (endpoint, security, userAgent)
            self.serverAddress = serverAddress
        }

        /// The address, for limits and publishing points.
        var address: SocketAddress { SocketAddress(endpoint.address, port: 0) ?? .any(.ipv4, port: 0) }
    }

    public let kind: SignallingKind
    /// The path of the stream, with its leading slash.
    public let path: String
    public let offer: Offer
    public let grant: Grant
    public let client: Client
    /// The beginning of the session's URL, to which its name is added.
    public let resource: String

    public init(
        _ kind: SignallingKind, _ path: String, _ offer: Offer, _ grant: Grant, of client: Client, resource: String
    ) {
        (self.kind, self.path, self.offer, self.grant) = (kind, path, offer, grant)
        (self.client, self.resource) = (client, resource)
    }
}
