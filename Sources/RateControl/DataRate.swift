/// Bits per second: never negative, and at most 1 Tbit/s, so that no report makes a rate that cannot be computed with.
public struct DataRate: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let bitsPerSecond: Int64

    /// Values outside of 0...1 Tbit/s become the nearest of these.
    public init(bitsPerSecond: Int64) {
        self.bitsPerSecond = min(max(0, bitsPerSecond), Self.most)
    }

    /// `byteCount` bytes in a time; 0 if one of the two is not positive.
    public init(byteCount: Int64, nanoseconds: Int64) {
        guard byteCount > 0, nanoseconds > 0 else {
            self = .zero
            return
        }
        self = Self(rounding: Double(byteCount) * 8e9 / Double(nanoseconds))
    }

    /// The nearest rate; 0 for what is not a number.
    init(rounding bitsPerSecond: Double) {
        guard bitsPerSecond > 0 else {
            self = .zero
            return
        }
        self.bitsPerSecond = Int64(min(bitsPerSecond, Double(Self.most)))
    }

    private static let most: Int64 = 1_000_000_000_000

    public static let zero = DataRate(bitsPerSecond: 0)

    public static func < (left: Self, right: Self) -> Bool { left.bitsPerSecond < right.bitsPerSecond }

    public static func * (rate: Self, factor: Double) -> Self { Self(rounding: Double(rate.bitsPerSecond) * factor) }

    // Both are at most 10¹², so the sum does not overflow.
    static func + (left: Self, right: Self) -> Self { Self(bitsPerSecond: left.bitsPerSecond + right.bitsPerSecond) }

    /// 0 if `right` is larger.
    static func - (left: Self, right: Self) -> Self { Self(bitsPerSecond: left.bitsPerSecond - right.bitsPerSecond) }

    func clamped(to limits: RateLimits) -> Self { min(max(self, limits.minimum), limits.maximum) }

    /// How long `byteCount` bytes take, in nanoseconds; `nil` at a rate of 0, or if it is more than a day.
    public func duration(ofByteCount byteCount: Int64) -> Int64? {
        guard bitsPerSecond > 0 else { return nil }
        let seconds = Double(max(0, byteCount)) * 8 / Double(bitsPerSecond)
        return seconds < 86_400 ? Int64(seconds * 1e9) : nil
    }

    /// `850 kbit/s` or `2.55 Mbit/s`.
    public var description: String {
        let kilobits = bitsPerSecond / 1000
        if kilobits < 1000 { return "\(kilobits) kbit/s" }
        let (whole, hundredths) = (kilobits / 1000, kilobits % 1000 / 10)
        return "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths) Mbit/s"
    }
}

/// The least and the most that a rate may be.
public struct RateLimits: Hashable, Sendable {
    public let minimum: DataRate
    public let maximum: DataRate

    /// The minimum is at least 10 kbit/s, because a rate of 0 cannot grow by a share of itself, and at most the maximum.
    public init(minimum: DataRate, maximum: DataRate) {
        let least = DataRate(bitsPerSecond: 10_000)
        self.maximum = max(maximum, least)
        self.minimum = min(max(minimum, least), self.maximum)
    }
}
