import Media
import RTSPServer
import WebRTCServer

extension ServerStatus.ViewerLine {
    init(_ viewer: WebRTCServer.ViewerStatus, at now: MonotonicTime) {
        id = viewer.id.description
        path = viewer.path
        peer = viewer.peer
        client = viewer.client
        user = viewer.user
        transport = viewer.transport
        playing = Double(now - viewer.startedAt) / 1_000_000_000
        backlog = Double(viewer.backlog.nanoseconds) / 1_000_000
        unreadBytes = viewer.backlog.unreadByteCount
        droppedUnits = viewer.backlog.droppedUnits
        network = ServerStatus.NetworkLine(viewer.network)
    }
}
