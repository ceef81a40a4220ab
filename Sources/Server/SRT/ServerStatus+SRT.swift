import Media
import SRTServer
import Streams

extension ServerStatus {
    /// What libsrt has counted on a connection since it was made. Packets are messages of at most 1 316 bytes of a transport stream.
    public struct SRTLine: Hashable, Sendable, Codable {
        /// In milliseconds.
        public let roundTrip: Double
        /// Packets that were lost on the way, before they were sent again.
        public let lost: Int64
        /// Packets that were sent again: of an input those that have come.
        public let retransmitted: Int64
        /// Packets that were too late: of an input those that were still missing when they were due, of a forward those that were not sent.
        public let dropped: Int64
        /// Media in libsrt's buffer, in milliseconds: of an input what waits until it is due, of a forward what the server has not
        /// acknowledged.
        public let buffer: Double
        /// The latency on which both ends have agreed, in milliseconds.
        public let latency: Double
    }
}

extension ServerStatus.SRTLine {
    /// Of a connection that receives.
    init(receiving statistics: SRTStatistics) {
        self.init(
            roundTrip: Self.milliseconds(statistics.roundTrip), lost: statistics.receiveLostCount,
            retransmitted: statistics.receiveResentCount, dropped: statistics.receiveDroppedCount,
            buffer: Self.milliseconds(statistics.receiveBufferDuration),
            latency: Self.milliseconds(statistics.receiveLatency))
    }

    /// Of a connection that sends.
    init(sending statistics: SRTStatistics) {
        self.init(
            roundTrip: Self.milliseconds(statistics.roundTrip), lost: statistics.sendLostCount,
            retransmitted: statistics.resentCount, dropped: statistics.sendDroppedCount,
            buffer: Self.milliseconds(statistics.sendBufferDuration), latency: Self.milliseconds(statistics.sendLatency)
        )
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1_000_000 }

    /// For people.
    var text: String {
        "round trip \(ServerStatus.number(roundTrip)) ms, \(lost) packets lost, \(retransmitted) sent again, \(dropped) too late, "
            + "\(ServerStatus.number(buffer)) ms buffered with a latency of \(ServerStatus.number(latency)) ms"
    }
}

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
