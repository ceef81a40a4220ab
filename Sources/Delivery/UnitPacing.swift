import Media

/// How large units, IDR pictures mostly, are spread over time on UDP: for links whose switches and receivers drop bursts.
public struct UnitPacing: Hashable, Sendable {
    /// Over which part of the time until the next picture: 0 … 0.9, where 0 leaves bursts as they are.
    public var share = 0.0
    /// Units below this many bytes are not held up.
    public var leastByteCount = 32_000

    public init() {}

    /// How a unit of so many bytes leaves; `nil` where it may leave at once.
    ///
    /// - Parameters:
    ///   - interval: to the next picture, in nanoseconds.
    ///   - step: between two looks at those who are paced, in nanoseconds.
    func limits(byteCount: Int, interval: Int64, step: Int64) -> Pacer.Limits? {
        guard share > 0, byteCount >= leastByteCount else { return nil }
        let span = max(step, Int64(Double(min(max(interval, 0), Self.longestInterval)) * share))
        let rate = Int64(byteCount) * 1_000_000_000 / span
        // A look that comes late makes up for one that it missed.
        return Pacer.Limits(rate: rate, burst: max(1, 2 * rate * step / 1_000_000_000))
    }

    /// Whatever the time between pictures, no unit takes longer than a tenth of a second.
    private static let longestInterval: Int64 = 100_000_000
}
