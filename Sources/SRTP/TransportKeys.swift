import RTP
import TLS

/// The SRTP master keys of both ends of a transport, which a DTLS handshake has made (RFC 5764, section 4.2).
public struct TransportKeys {
    public let own: MasterKey
    public let peer: MasterKey

    /// - Parameter role: ours in the handshake.
    public init?(_ keys: DTLSKeys, as role: DTLSConnection.Role) {
        let suite: CipherSuite = keys.profile == .gcm ? .gcm : .counterMode
        guard let client = MasterKey(suite, material: keys.client), let server = MasterKey(suite, material: keys.server)
        else { return nil }
        (own, peer) = role == .client ? (client, server) : (server, client)
    }
}
