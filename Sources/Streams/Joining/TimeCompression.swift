import Media

/// Maps past presentation times into a short window that ends now, so that a joining player shows the history at once and does
/// not lag behind live.
///
/// With `L` the newest presentation time sent, `F` the first and `W` the window, a time `q` becomes
/// `L − W·(L − q)/(L − F)` if `q < L`, and stays `q` otherwise. The rule uses presentation times, so it covers late B-frames.
public struct TimeCompression: Hashable, Sendable {
    /// `F`, in ticks.
    private let first: Int64
    /// `L`, in ticks.
    private let newest: Int64
    /// `W`, in ticks; at most the duration of the history, because a history is never stretched.
    private let window: Int64

    /// All ticks are of one clock. If `newest` is not later than `first`, nothing is compressed.
    public init(first: Int64, newest: Int64, window: Int64) {
        let (length, isTooLong) = newest.subtractingReportingOverflow(first)
        // A source that jumps by centuries has no history to compress.
        self.first = isTooLong ? newest : first
        self.newest = newest
        self.window = max(0, min(window, length))
    }

    /// The compressed time of `ticks`.
    public func callAsFunction(_ ticks: Int64) -> Int64 {
        guard ticks < newest, first < newest else { return ticks }
        let (high, low) = window.multipliedFullWidth(by: newest &- max(ticks, first))
        // window <= newest − first, so the quotient is at most newest − ticks and fits.
        return newest &- (newest &- first).dividingFullWidth((high, low)).quotient
    }

    /// Whether the instant is beyond the window, so that times are no longer compressed.
    public func isOver(at ticks: Int64) -> Bool { ticks >= newest }
}
