import Media
import RateControl
import Streams

/// A viewer over SRT, and how well it keeps up.
public struct ViewerStatus: Hashable, Sendable {
    public let id: ViewerID
    /// The path of the stream: `/cam`.
    public let path: String
    public let peer: String
    /// `nil` without authentication.
    public let user: String?
    /// `SRT`, or `SRT, encrypted`.
    public let transport: String
    public let startedAt: MonotonicTime
    /// Media time from what the client has acknowledged to the newest frame, in nanoseconds.
    public let lag: Int64
    /// Units that were skipped because it did not keep up.
    public let droppedUnits: UInt64
    /// What the path to it carries; `nil` if no encoder follows it.
    public let capacity: PathEstimate?
    /// `nil` if the connection has just ended.
    public let statistics: SRTStatistics?
}
