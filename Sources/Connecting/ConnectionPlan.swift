import Media
import Reactor
import TLS

/// A server to connect to, and how.
public struct ConnectionPlan: Sendable {
    /// A name or an address; an IPv6 address with or without brackets.
    public var host: String
    public var port: UInt16
    /// The URL without user and password, for messages.
    public var label: String
    public var isSecure: Bool
    /// The TLS client, which checks certificates; `nil` if the connection cannot use TLS.
    public var security: TLSClient?
    /// The addresses of the host, in the order in which to try them; `nil` if they are looked up.
    public var addresses: [SocketAddress]?
    /// The addresses to which the connection may go.
    public var destinations = PermittedDestinations()
    /// Whether this host's own and link-local addresses are refused, because another server has named the host.
    public var refusesLocalAddresses = false
    /// The receive buffer of the connection; `nil` for the kernel's default.
    public var receiveBufferByteCount: Int32?

    public init(to host: String, port: UInt16, isSecure: Bool, label: String) {
        (self.host, self.port, self.isSecure, self.label) = (host, port, isSecure, label)
    }

    /// Whether the connection may go to this address.
    func permits(_ address: SocketAddress) -> Bool {
        destinations.permits(address, refusingLocal: refusesLocalAddresses)
    }
}

/// Why a connection to a server is not established, or is lost.
public enum ConnectionFailure: Error, Sendable, CustomStringConvertible {
    case failed(SystemError)
    /// The host has no address.
    case unknownHost(String)
    /// The look-up of the host's name took too long.
    case slowNameServer(String)
    /// The server does not accept the connection, or does not answer in it.
    case noAnswer
    /// The server has closed the connection.
    case endedByServer
    /// The server does not read what is sent to it.
    case unreadRequests
    /// This host has no TLS library.
    case noTLS(IdentityFailure)
    case insecure(TLSFailure)
    /// The address of this URL's host is not among those to which connections are allowed.
    case deniedDestination(String)
    /// The server has moved the stream to this URL, which is an address of this host or link-local.
    case localRedirection(String)
    /// This URL needs TLS, and the plan does not say how to check certificates.
    case noCertificateCheck(String)

    public var description: String {
        switch self {
        case .failed(let error): error.description
        case .unknownHost(let host): "unknown host \(host)"
        case .slowNameServer(let host): "the name server did not give the address of \(host) in time"
        case .noAnswer: "the server does not answer"
        case .endedByServer: "the server closed the connection"
        case .unreadRequests: "the server does not read what is sent to it"
        case .noTLS(.noLibrary(let reason)): "TLS needs OpenSSL (the package libssl3): \(reason)"
        case .noTLS: "OpenSSL does not support TLS on this host"
        case .insecure(let failure): "TLS: \(failure)"
        case .deniedDestination(let url): "connections to the address of \(url) are not permitted"
        case .localRedirection(let url): "the server redirects to \(url), which is not for others; not followed"
        case .noCertificateCheck(let url): "\(url) uses TLS, and this session does not; use the secure URL"
        }
    }
}
