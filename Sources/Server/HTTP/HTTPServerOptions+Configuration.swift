import HTTPServer
import RTSPServer
import TLS

extension HTTPServer.ServerOptions {
    /// The options of the HTTP server; `nil` if there is none.
    ///
    /// - Parameter identity: the certificate for clients with TLS; `nil` without TLS.
    init?(_ configuration: Configuration, identity: ServerIdentity?) {
        let section = configuration.http
        guard section.port != 0 else { return nil }
        self.init()
        // The schema's ranges keep every conversion exact.
        port = configuration.tls.encryption == .strict ? nil : UInt16(clamping: section.port)
        if let identity {
            var secure = TLSOptions(port: UInt16(clamping: section.tlsPort), identity: identity)
            secure.handshake.seconds = configuration.limits.handshakeSeconds
            secure.handshake.byteCount = configuration.limits.handshakeBytes
            tls = secure
        }
        address = configuration.server.address.isEmpty ? nil : configuration.server.address
        threadCount = section.threads
        hosts = section.hosts
        trustedProxies = section.trustedProxies
        origins = section.origins
        serverName = "apus/\(apusVersion)"
        version = apusVersion
        let rtsp = RTSPServer.ServerOptions(configuration, access: nil)
        policy = rtsp.loop.delivery.policy
        maximumFastStartByteCount = rtsp.maximumFastStartByteCount
        let limits = configuration.limits
        connection.requests.headByteCount = limits.requestHeadBytes
        connection.requests.headerCount = limits.requestHeaders
        connection.requests.targetByteCount = limits.urlBytes
        connection.requests.bodyByteCount = limits.bodyBytes
        connection.requestSeconds = limits.requestHeadSeconds
        connection.idleSeconds = limits.idleConnectionSeconds
        connection.maximumStreamCount = limits.streamsPerConnection
        connection.maximumControlFrameCount = limits.controlFrames
        connection.maximumResetCount = limits.resetStreams
        connection.maximumViewerCount = limits.sessionsPerConnection
        let hls = configuration.hls
        playback.segmentSeconds = hls.segmentSeconds
        playback.partMilliseconds = hls.partMilliseconds
        playback.windowSeconds = hls.windowSeconds
        playback.maximumByteCount = hls.maximumBytes
        playback.totalByteCount = hls.totalBytes
        playback.sessionsPerAddress = limits.connectionsPerAddress
    }
}
