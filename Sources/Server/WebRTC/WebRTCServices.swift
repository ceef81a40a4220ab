import Delivery
import RTSPServer
import WebRTCServer

/// What the WebRTC server shares with the RTSP server.
struct WebRTCServices: RTSPBackedServices, WebRTCSharedServices {
    let server: RTSPServer.Server

    func path(at path: String) -> OfferedPath? {
        server.entry(at: path).map {
            OfferedPath(stream: $0.stream, join: $0.options.join, publishing: $0.publishing)
        }
    }

    func nearestPath(to path: String) -> String? { server.nearestPath(to: path) }

    func createPath(
        _ path: String, for publisher: PublishingPoint.Publisher, _ then: @escaping @Sendable (String?) -> Void
    ) -> Bool {
        server.createPath(path, for: publisher, then)
    }
}
