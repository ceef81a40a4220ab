import Media

/// Maps presentation times of the past into a window that ends at now, so that a joining player shows the history at once
/// and is not left behind live.
///
/// With `L` the newest presentation time sent, `F` the first and `W` the window:
/// `L − W·(L − q)/(L − F)` for `q < L`, and `q` itself from then on: by presentation time, also for late B-pictures.
public struct TimeCompression: Hashable, Sendable {
    /// `F`, in ticks.
    private let first: Int64
    /// `L`, in ticks.
    private let newest: Int64
    /// `W`, in ticks; never longer than the history, which is squeezed and not stretched.
    private let window: Int64

    /// Ticks all of one clock; where `newest` is not later than `first`, nothing is squeezed.
    public init(first: Int64, newest: Int64, window: Int64) {
        let (length, isTooLong) = newest.subtractingReportingOverflow(first)
        // A source that leaps by centuries has no history to be squeezed.
        self.first = isTooLong ? newest : first
        self.newest = newest
        self.window = max(0, min(window, length))
    }

    /// Where the instant `ticks` goes.
    public func callAsFunction(_ ticks: Int64) -> Int64 {
        guard ticks < newest, first < newest else { return ticks }
        let (high, low) = window.multipliedFullWidth(by: newest &- max(ticks, first))
        // window <= newest − first, so the quotient is at most newest − ticks and fits.
        return newest &- (newest &- first).dividingFullWidth((high, low)).quotient
    }

    /// Whether the instant is beyond the window: from here on nothing is squeezed any more.
    public func isOver(at ticks: Int64) -> Bool { ticks >= newest }
}
