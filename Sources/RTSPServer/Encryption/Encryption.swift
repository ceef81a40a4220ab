import RTP
import RTSP
import Synchronization
import TLS

/// Whether clients connect through TLS.
public enum Encryption: Sendable {
    /// No client does.
    case no
    /// Each client chooses, by the port.
    case optional(TLSOptions)
    /// All clients do: there is no port without TLS.
    case strict(TLSOptions)

    /// The TLS options; `nil` without TLS.
    public var tls: TLSOptions? {
        switch self {
        case .no: nil
        case .optional(let options), .strict(let options): options
        }
    }

    /// The kinds of connections that the server offers.
    var offeredSecurity: [ConnectionSecurity] {
        switch self {
        case .no: [.clear]
        case .optional: [.clear, .tls]
        case .strict: [.tls]
        }
    }
}

/// The options for connections through TLS.
public struct TLSOptions: Sendable {
    /// The TCP port of the TLS listener.
    public var port: UInt16
    /// The certificate and key of the server, until they are replaced (``Server/identify(by:)``).
    public var identity: ServerIdentity
    /// The cipher suite for SRTP over UDP; `nil` if media must not leave the connection.
    public var srtp: CipherSuite? = .counterMode
    public var handshake = TLSConnection.HandshakeLimits()

    public init(port: UInt16 = 8322, identity: ServerIdentity) {
        self.port = port
        self.identity = identity
    }
}

/// The identity that the server presents to new connections, shared by all loops. Thread-safe.
final class CurrentIdentity: Sendable {
    private let current: Mutex<ServerIdentity?>

    init(_ identity: ServerIdentity?) {
        current = Mutex(identity)
    }

    /// `nil` without TLS.
    var value: ServerIdentity? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
