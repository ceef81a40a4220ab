import Connecting
import Media
import RTSP
import RTSPClient
import Reactor
import TLS

/// A stream of a WHEP server, and how it is played.
public struct PlaybackPlan: Sendable {
    /// Where the offer is posted.
    public let endpoint: HTTPAddress
    /// The addresses of the host, in the order in which to try them.
    public private(set) var addresses: [SocketAddress]
    /// The TLS client, which checks certificates; `nil` without `https`.
    public let security: TLSClient?
    /// This end in DTLS. All sessions of a plan have the same certificate.
    public let identity: DTLSIdentity
    public var userAgent = "apus"
    /// The credentials for the server's challenges; `nil` without a password.
    public var login: ClientLogin?
    /// How long a missing packet is awaited, in nanoseconds, if the session requests missing packets; `nil` if it does not.
    public var repairPatience: Int64?
    public var decryption = DecryptedShare.all
    /// How GSO batches are received.
    public var gsoBatchArrival = GSOBatchArrival.whole
    /// The requested receive buffer of the UDP socket, limited by `net.core.rmem_max`. The fast start comes at once, while a load client
    /// shakes hands with other viewers.
    public var datagramBufferByteCount: Int32 = 1 << 20

    /// How long the look-up of the host's name may take, in nanoseconds.
    private static let lookupTimeout: Int64 = 10_000_000_000

    /// Plans a session. Blocks while it looks up the host's name.
    public init(
        _ endpoint: HTTPAddress, accepting certificates: TLSClient.Certificates = .verified
    ) throws(PlaybackFailure) {
        self.endpoint = endpoint
        do throws(IdentityFailure) {
            security = endpoint.isSecure ? try TLSClient(accepting: certificates) : nil
            identity = try DTLSIdentity(SelfSignedCertificate(for: [.host("apus")], days: 30))
        } catch {
            throw .connection(.noTLS(error))
        }
        let found = NameLookup.addresses(
            of: endpoint.host, port: endpoint.port, until: .now() + Self.lookupTimeout)
        guard let found else { throw .connection(.slowNameServer(endpoint.host)) }
        guard !found.isEmpty else { throw .connection(.unknownHost(endpoint.host)) }
        addresses = found
    }

    /// How to connect to the web server.
    var connection: ConnectionPlan {
        var plan = ConnectionPlan(
            to: endpoint.host, port: endpoint.port, isSecure: endpoint.isSecure, label: endpoint.text)
        (plan.addresses, plan.security) = (addresses, security)
        return plan
    }
}

/// Which of the packets of a session are decrypted. Times, numbers and loss need no decryption, so a load client can do without most of it.
public enum DecryptedShare: Hashable, Sendable {
    case all
    /// The packets of the first second, in which the first keyframe comes, and then one of so many. Others come without payload.
    case oneOf(Int)
}
