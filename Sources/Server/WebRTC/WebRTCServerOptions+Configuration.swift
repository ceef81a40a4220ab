import RTSPServer
import WebRTC
import WebRTCServer

extension WebRTCServer.ServerOptions {
    /// The options of the WebRTC server; `nil` if there is none.
    init?(_ configuration: Configuration) {
        guard configuration.servesWebRTC else { return nil }
        self.init()
        let section = configuration.webrtc
        // The schema's ranges keep every conversion exact.
        port = UInt16(clamping: section.port)
        usesOnePort = section.singlePort
        address = configuration.server.address.isEmpty ? nil : configuration.server.address
        publicAddresses = section.addresses
        iceServers = section.iceServers
        playoutDelay =
            section.playoutDelay == .control
            ? PlayoutDelay(minimumMilliseconds: 0, maximumMilliseconds: section.maximumDelayMilliseconds) : nil
        maximumPendingSessions = section.pendingSessions
        maximumPendingPerAddress = section.pendingSessionsPerAddress
        maximumConnections = section.connections
        handshake.seconds = configuration.limits.handshakeSeconds
        let rtsp = RTSPServer.ServerOptions(configuration, access: nil)
        loopCount = rtsp.loopCount
        retransmits = rtsp.network.retransmits
        retransmissionLimits = rtsp.loop.delivery.repair.viewerLimits
        sourceMilliseconds = rtsp.describeMilliseconds
        codePoint = rtsp.loop.codePoint
        maximumSeparateSockets = rtsp.loop.maximumSeparateSockets
        unsentBytes = rtsp.unsentBytes
    }
}
