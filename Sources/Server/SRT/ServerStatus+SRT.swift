import Media
import SRTServer
import Streams

extension ServerStatus.ViewerLine {
    init(_ viewer: SRTServer.ViewerStatus, at now: MonotonicTime) {
        var status = FollowerStatus(
            id: viewer.id.description, path: viewer.path, peer: viewer.peer, client: nil, user: viewer.user,
            transport: viewer.transport, startedAt: viewer.startedAt)
        status.lag = viewer.lag
        (status.droppedUnits, status.capacity) = (viewer.droppedUnits, viewer.capacity)
        status.roundTrip = viewer.statistics?.roundTrip
        status.repair = viewer.statistics.map {
            .init(lost: $0.sendLostCount, retransmitted: $0.resentCount, missing: $0.sendDroppedCount)
        }
        status.unreadByteCount = viewer.statistics?.sendBufferByteCount ?? 0
        self.init(status, at: now)
    }
}
