import RTP
import RTSP
import Synchronization
import TLS

/// Whether clients come through TLS.
public enum Encryption: Sendable {
    /// None does.
    case no
    /// Each as it likes, by the port.
    case optional(TLSOptions)
    /// All do: there is no port for others.
    case strict(TLSOptions)

    /// `nil` where no client comes through TLS.
    public var tls: TLSOptions? {
        switch self {
        case .no: nil
        case .optional(let options), .strict(let options): options
        }
    }

    /// By which ways clients come.
    var ways: [ConnectionSecurity] {
        switch self {
        case .no: [.clear]
        case .optional: [.clear, .tls]
        case .strict: [.tls]
        }
    }
}

/// How clients come through TLS.
public struct TLSOptions: Sendable {
    /// TCP port of its listener.
    public var port: UInt16
    /// What the server shows to be itself, until it gets another (``Server/identify(by:)``).
    public var identity: ServerIdentity
    /// How media is protected that leaves the connection, by SRTP over UDP; `nil` where none may.
    public var srtp: CipherSuite? = .counterMode
    public var handshake = TLSConnection.HandshakeLimits()

    public init(port: UInt16 = 8322, identity: ServerIdentity) {
        self.port = port
        self.identity = identity
    }
}

/// What the server shows to those who come from now on: shared by all loops. From any thread.
final class CurrentIdentity: Sendable {
    private let current: Mutex<ServerIdentity?>

    init(_ identity: ServerIdentity?) {
        current = Mutex(identity)
    }

    /// `nil` where no client comes through TLS.
    var value: ServerIdentity? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
