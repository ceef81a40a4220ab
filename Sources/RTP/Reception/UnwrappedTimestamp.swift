/// Counts on where 32-bit RTP timestamps wrap, at 90 kHz every 13 hours.
struct UnwrappedTimestamp {
    /// The last timestamp, in ticks since the wrap before the first.
    private var last: Int64?

    /// The ticks of a timestamp that is at most half a round from the last.
    mutating func unwrap(_ timestamp: UInt32) -> Int64 {
        let ticks = unwrapped(timestamp)
        last = ticks
        return ticks
    }

    /// The same without making it the last.
    func unwrapped(_ timestamp: UInt32) -> Int64 {
        guard let last else { return Int64(timestamp) }
        return last &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last)))
    }
}
