import Delivery
import Media
import Streams

/// A viewer that plays, and how well it keeps up.
public struct ViewerStatus: Hashable, Sendable {
    public let id: ViewerID
    /// The path of the stream: `/cam`.
    public let path: String
    /// The client's address and port of its RTSP connection.
    public let peer: String
    /// The client's `User-Agent` as sent; `nil` if it sent none.
    public let client: String?
    /// The user that set up the session; `nil` without authentication.
    public let user: String?
    /// `UDP`, `TCP`, `multicast`, or `MPEG-TS over` one of them.
    public let transport: String
    /// When PLAY was answered.
    public let startedAt: MonotonicTime
    public let backlog: Backlog
    /// How well its packets arrive, as its client says.
    public let network: ViewerNetwork
}
