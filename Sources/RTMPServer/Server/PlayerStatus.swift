import Media
import Streams

/// A viewer over RTMP that plays, and how well it keeps up.
public struct PlayerStatus: Hashable, Sendable {
    public let id: ViewerID
    /// The path of the stream: `/cam`.
    public let path: String
    public let peer: String
    /// What the client calls itself (`flashVer`); `nil` if it does not.
    public let client: String?
    /// `nil` without authentication.
    public let user: String?
    /// `RTMP` or `RTMPS`.
    public let transport: String
    public let startedAt: MonotonicTime
    /// Media time from what has reached the client to the newest frame, in nanoseconds.
    public let lag: Int64
    /// Bytes that were sent and that the client has not read, as an estimate.
    public let unreadByteCount: Int
    /// Units that were skipped because it did not keep up.
    public let droppedUnits: UInt64
    /// Bytes that the client has not acknowledged by a message of RTMP; `nil` before its first one.
    public let bytesInFlight: UInt64?
}
