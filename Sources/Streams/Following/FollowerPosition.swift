/// Where a follower is in what it is sent: always between two packets.
public struct FollowerPosition: Equatable, BitwiseCopyable, Sendable {
    /// The next output of its fast start, while there is one.
    public var fastStart: Int
    /// The index of the next output of the feed, after the fast start.
    public var index: Int64
    /// How much of that output it has taken, in the unit of its transport: packets, for example.
    public var offset: Int

    @inlinable
    public init(fastStart: Int = 0, index: Int64 = 0, offset: Int = 0) {
        (self.fastStart, self.index, self.offset) = (fastStart, index, offset)
    }
}
