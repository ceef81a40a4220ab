import Delivery
import Media
import Streams

/// A viewer that plays, and how well it keeps up.
public struct ViewerStatus: Sendable {
    public let id: ViewerID
    /// The path of the stream: `/cam`.
    public let path: String
    /// The address and port that media are sent to.
    public let peer: String
    /// The client's `User-Agent`; `nil` if it sent none.
    public let client: String?
    /// `nil` without authentication.
    public let user: String?
    /// `WebRTC`, or `WebRTC over TCP`.
    public let transport: String
    /// When the first packet was sent.
    public let startedAt: MonotonicTime
    public let backlog: Backlog
    /// How well its packets arrive, as its client says.
    public let network: ViewerNetwork
}
