/// Frames per second as a fraction: 30000/1001 is NTSC's 29.97.
public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
    /// Positive.
    public let numerator: Int32
    /// 1 to 1001, so that 64-bit arithmetic in nanoseconds is exact.
    public let denominator: Int32

    /// `nil` unless both are positive and the rate is between 1 frame in 10 s and 1 000 frames a second.
    public init?(_ numerator: Int32, _ denominator: Int32 = 1) {
        guard numerator > 0, (1...1001).contains(denominator), Int64(numerator) * 10 >= Int64(denominator),
            Int64(numerator) <= 1000 * Int64(denominator)
        else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private init(known numerator: Int32) {
        self.numerator = numerator
        denominator = 1
    }

    public static let thirty = FrameRate(known: 30)

    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// `30`, `29.97`.
    public var description: String {
        let hundredths = Int64(numerator) * 100 / Int64(denominator)
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return "\(whole)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
