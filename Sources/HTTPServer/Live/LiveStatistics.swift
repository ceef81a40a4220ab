import Media

/// What an event loop has sent to its live viewers since the start.
public struct LiveStatistics: Hashable, Sendable {
    public var fragments: UInt64 = 0
    /// Bytes of fragments.
    public var bytes: UInt64 = 0
    /// Units that were skipped because viewers did not keep up.
    public var droppedUnits: UInt64 = 0
}
