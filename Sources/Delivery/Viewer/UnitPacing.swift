import Media

/// How large units, mostly IDR frames, are spread over time on UDP, for links where switches or receivers drop bursts.
public struct UnitPacing: Hashable, Sendable {
    /// The part of the frame interval over which a unit is spread: 0 … 0.9. At 0 bursts are sent as they are.
    public var share = 0.0
    /// Smaller units are sent at once.
    public var leastByteCount = 32_000

    public init() {}

    /// How a unit is paced; `nil` if it may be sent at once.
    ///
    /// - Parameters:
    ///   - interval: the time to the next frame, in nanoseconds.
    ///   - step: the time between two checks of paced viewers, in nanoseconds.
    func limits(byteCount: Int, interval: Int64, step: Int64) -> Pacer.Limits? {
        guard share > 0, byteCount >= leastByteCount else { return nil }
        let span = max(step, Int64(Double(min(max(interval, 0), Self.longestInterval)) * share))
        let rate = Int64(byteCount) * 1_000_000_000 / span
        // The burst covers two steps, so that a late check also sends what the missed one would have sent.
        return Pacer.Limits(rate: rate, burst: max(1, 2 * rate * step / 1_000_000_000))
    }

    /// The maximum time for one unit, whatever the frame interval.
    private static let longestInterval: Int64 = 100_000_000
}
