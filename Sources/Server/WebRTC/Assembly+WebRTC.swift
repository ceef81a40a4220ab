import Logging
import WebRTCServer

extension Assembly {
    /// The WebRTC server of a configuration; `nil` if there is none.
    ///
    /// - Throws: if a port cannot be had and the configuration demands WebRTC. Otherwise the server runs without it.
    static func webRTCServer(_ configuration: Configuration, _ log: Logger) throws(Failure) -> WebRTCServer.Server? {
        guard let options = WebRTCServer.ServerOptions(configuration) else { return nil }
        do throws(PortFailure) {
            return try WebRTCServer.Server(options: options, logger: log)
        } catch {
            let kind = error.isTCP ? "TCP" : "UDP"
            let failure = Failure(
                description: "cannot serve WebRTC at \(kind) port \(error.port) (webrtc.port): \(error.error)")
            guard configuration.webrtc.serve == .auto else { throw failure }
            log.warning("no WebRTC: \(failure); webrtc.serve: no turns it off")
            return nil
        }
    }
}
