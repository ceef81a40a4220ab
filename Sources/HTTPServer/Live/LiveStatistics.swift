import Media

/// What an event loop has sent to its live viewers since the start.
public struct LiveStatistics: Hashable, Sendable {
    public var fragments: UInt64 = 0
    /// Bytes of fragments.
    public var bytes: UInt64 = 0
    /// Units that were skipped because viewers did not keep up.
    public var droppedUnits: UInt64 = 0
}

/// A viewer over HTTP, and how well it keeps up.
public struct LiveViewerStatus: Hashable, Sendable {
    /// Never used again for another viewer: `v17`.
    public let id: String
    /// The path of the stream: `/cam`.
    public let path: String
    /// The address and port of its connection.
    public let peer: String
    /// `nil` if it did not authenticate.
    public let user: String?
    /// Its `User-Agent`; `nil` if it sent none.
    public let client: String?
    /// `MP4` or `WebSocket`.
    public let transport: String
    /// When its first media were sent.
    public let startedAt: MonotonicTime
    /// Media time from what it was sent to the newest unit, in nanoseconds.
    public let lag: Int64
    /// Bytes that wait to be sent.
    public let unreadByteCount: Int
    public let droppedUnits: UInt64
}
