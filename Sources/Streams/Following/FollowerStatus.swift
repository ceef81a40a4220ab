import Media
import RateControl

/// A viewer over a reliable transport that follows a feed, such as one over HTTP or RTMP, and how well it keeps up.
public struct FollowerStatus: Hashable, Sendable {
    /// Never used again for another viewer: `v17`.
    public let id: String
    /// The path of the stream: `/cam`.
    public let path: String
    /// The address and port of its connection.
    public let peer: String
    /// What the client calls itself; `nil` if it does not.
    public let client: String?
    /// `nil` if it did not authenticate.
    public let user: String?
    /// As events name it: `MP4`, `WebSocket`, `HLS`, `RTMP`, `RTMPS`, `SRT`.
    public let transport: String
    /// When its first media were sent.
    public let startedAt: MonotonicTime
    /// Media time from what has reached the client to the newest unit, in nanoseconds.
    public var lag: Int64 = 0
    /// Bytes that wait, or that were sent and that the client has not read, as an estimate.
    public var unreadByteCount = 0
    /// Units that were skipped because it did not keep up.
    public var droppedUnits: UInt64 = 0
    /// In nanoseconds; `nil` if it is unknown.
    public var roundTrip: Int64?
    /// Bytes that the client has not acknowledged by a message of its protocol; `nil` if it has sent none.
    public var bytesInFlight: UInt64?
    /// Packets that were lost on the way, and sent again; `nil` if the protocol does not tell.
    public var repair: Repair?
    /// What the path to the client carries; `nil` if nothing follows it.
    public var capacity: PathEstimate?

    /// Counts of packets.
    public struct Repair: Hashable, Sendable {
        /// That the client has reported as lost.
        public var lost: Int64
        public var retransmitted: Int64
        /// That were given up, because they would have come too late.
        public var missing: Int64

        public init(lost: Int64, retransmitted: Int64, missing: Int64) {
            (self.lost, self.retransmitted, self.missing) = (lost, retransmitted, missing)
        }
    }

    public init(
        id: String, path: String, peer: String, client: String?, user: String?, transport: String,
        startedAt: MonotonicTime
    ) {
        (self.id, self.path, self.peer, self.client, self.user) = (id, path, peer, client, user)
        (self.transport, self.startedAt) = (transport, startedAt)
    }
}
