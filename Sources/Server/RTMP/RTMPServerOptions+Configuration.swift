import RTMPServer
import RTSPServer
import TLS

extension RTMPServer.ServerOptions {
    /// The options of the RTMP server; `nil` if there is none.
    ///
    /// - Parameter identity: the certificate for clients with TLS; `nil` without TLS.
    init?(_ configuration: Configuration, identity: ServerIdentity?) {
        guard configuration.servesRTMP else { return nil }
        self.init()
        let (section, limits) = (configuration.rtmp, configuration.limits)
        // The schema's ranges keep every conversion exact.
        port = configuration.tls.encryption == .strict ? nil : UInt16(clamping: section.port)
        if let identity {
            var secure = Encryption(port: UInt16(clamping: section.tlsPort), identity: identity)
            secure.handshake.seconds = limits.handshakeSeconds
            secure.handshake.byteCount = limits.handshakeBytes
            tls = secure
        }
        address = configuration.server.address.isEmpty ? nil : configuration.server.address
        challenge = section.challenge
        handshakeSeconds = limits.requestHeadSeconds
        idleSeconds = limits.idleConnectionSeconds
        let rtsp = RTSPServer.ServerOptions(configuration, access: nil)
        policy = rtsp.loop.delivery.policy
        maximumFastStartByteCount = rtsp.maximumFastStartByteCount
        sourceMilliseconds = rtsp.describeMilliseconds
    }
}
