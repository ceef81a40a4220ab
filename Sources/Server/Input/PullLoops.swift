import Connecting
import Delivery
import RTMPClient
import RTSPClient

/// The media loops that pull streams of other servers, by protocol. Thread-safe.
struct PullLoops: Sendable {
    /// Where pulls may connect to.
    let destinations: PermittedDestinations
    let rtsp: RTSPPullLoops
    let rtmp: RTMPPullLoops

    init(_ destinations: PermittedDestinations = PermittedDestinations()) {
        self.destinations = destinations
        (rtsp, rtmp) = (RTSPPullLoops(destinations), RTMPPullLoops(destinations))
    }

    /// Make the services of one loop.
    var services: [MediaLoop.ServiceMaker] { [rtsp.service, rtmp.service] }
}
