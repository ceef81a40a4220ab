import Media

/// Decides when the body of a media file is padded to a whole block.
///
/// Chromium passes a file on to its player in whole blocks of 32 KB (`ResourceMultiBufferDataProvider` in its sources), so the newest
/// frames of a stream of 0.5 Mbit/s would wait for half a second. A box without content (`free`, ISO/IEC 14496-12, section 8.1.2)
/// completes the block.
struct BlockPadding {
    static let blockByteCount = 32_768
    /// How long frames may wait for the end of a block, in nanoseconds. A body has at most 2.6 Mbit/s because of it.
    static let patience: Int64 = 100_000_000
    /// The header of a box.
    private static let leastByteCount = 8

    private var lastBlock = 0
    /// When the last block was found complete; `nil` before the first.
    private var completedAt: MonotonicTime?

    /// All that can be sent now has been sent.
    ///
    /// - Parameter position: the bytes of the body so far.
    /// - Returns: the bytes of the box that is to follow; `nil` if none is.
    mutating func padding(at position: Int, _ now: MonotonicTime) -> Int? {
        let (block, offset) = position.quotientAndRemainder(dividingBy: Self.blockByteCount)
        if block > lastBlock { (lastBlock, completedAt) = (block, now) }
        let rest = Self.blockByteCount - offset
        guard offset > 0, rest >= Self.leastByteCount else { return nil }
        // The fast start is padded at once.
        if let completedAt, now - completedAt < Self.patience { return nil }
        (lastBlock, completedAt) = (block + 1, now)
        return rest
    }
}
