import RTSPServer
import SRTServer

extension SRTServer.ServerOptions {
    /// The options of the SRT server; `nil` if there is none.
    init?(_ configuration: Configuration) {
        guard configuration.servesSRT else { return nil }
        self.init()
        let section = configuration.srt
        // The schema's ranges keep every conversion exact.
        port = UInt16(clamping: section.port)
        address = configuration.server.address.isEmpty ? nil : configuration.server.address
        latencyMilliseconds = section.latencyMilliseconds
        maximumViewers = section.viewers
        passphraseDemand = configuration.srtPassphraseDemand
        let rtsp = RTSPServer.ServerOptions(configuration, access: nil)
        policy = rtsp.loop.delivery.policy
        maximumFastStartByteCount = rtsp.maximumFastStartByteCount
    }
}
