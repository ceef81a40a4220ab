/// How long a receiver may hold back a frame after its arrival. With 0 and 0, a browser shows each frame as soon as it is decoded.
public struct PlayoutDelay: Hashable, Sendable {
    public let minimumMilliseconds: Int
    public let maximumMilliseconds: Int

    /// The longest delay: twelve bits of 10 ms.
    public static let limitMilliseconds = 40_950

    /// - Returns: `nil` unless 0 ≤ minimum ≤ maximum ≤ 40 950.
    public init?(minimumMilliseconds: Int, maximumMilliseconds: Int) {
        guard 0 <= minimumMilliseconds, minimumMilliseconds <= maximumMilliseconds,
            maximumMilliseconds <= Self.limitMilliseconds
        else { return nil }
        (self.minimumMilliseconds, self.maximumMilliseconds) = (minimumMilliseconds, maximumMilliseconds)
    }

    /// The three bytes of the extension's value, as a number.
    public var value: UInt32 { UInt32(minimumMilliseconds / 10) << 12 | UInt32(maximumMilliseconds / 10) }
}
