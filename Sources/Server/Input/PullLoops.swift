import Connecting
import Delivery
import Logging
import RTMPClient
import RTSPClient
import SRTClient

/// The media loops that pull streams of other servers, by protocol. Thread-safe.
struct PullLoops: Sendable {
    /// Where pulls may connect to.
    let destinations: PermittedDestinations
    let rtsp: RTSPPullLoops
    let rtmp: RTMPPullLoops
    /// Those over SRT, which need no media loop. Forwards use them, too.
    let srt: SRTCalls

    init(
        _ destinations: PermittedDestinations = PermittedDestinations(),
        log: Logger = Logger(label: "none", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.destinations = destinations
        (rtsp, rtmp) = (RTSPPullLoops(destinations), RTMPPullLoops(destinations))
        srt = SRTCalls(destinations, logger: log)
    }

    /// Make the services of one loop.
    var services: [MediaLoop.ServiceMaker] { [rtsp.service, rtmp.service] }
}
