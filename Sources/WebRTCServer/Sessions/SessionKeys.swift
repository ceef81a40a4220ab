import RTP
import TLS
import WebRTC

/// The SRTP master keys of both ends of a session.
struct SessionKeys {
    let own: MasterKey
    let peer: MasterKey

    /// - Parameter role: ours in the handshake.
    init?(_ keys: DTLSKeys, _ role: DTLSRole) {
        let suite: CipherSuite = keys.profile == .gcm ? .gcm : .counterMode
        guard let client = MasterKey(suite, material: keys.client), let server = MasterKey(suite, material: keys.server)
        else { return nil }
        (own, peer) = role == .client ? (client, server) : (server, client)
    }
}
