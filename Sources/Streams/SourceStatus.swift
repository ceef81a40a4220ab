/// What a source's picture encoder has done.
public struct SourceStatus: Hashable, Sendable {
    /// Pictures coded.
    public var pictureCount = 0
    /// Pictures left out because their instant had passed: the machine is too slow, or was stopped.
    public var skippedCount = 0
    /// What the quantizers of `quantizedCount` pictures add up to.
    public var quantizerTotal = 0
    public var quantizedCount = 0

    public init() {}

    /// The average quantizer, 0 to 51: the higher, the coarser; `nil` where the encoder does not tell.
    public var averageQuantizer: Double? {
        quantizedCount > 0 ? Double(quantizerTotal) / Double(quantizedCount) : nil
    }

    public static func + (one: Self, other: Self) -> Self { one.combined(with: other, by: +) }

    /// What was done between two looks at the same source.
    public static func - (later: Self, earlier: Self) -> Self { later.combined(with: earlier, by: -) }

    private func combined(with other: Self, by operation: (Int, Int) -> Int) -> Self {
        var result = Self()
        for count in [\Self.pictureCount, \.skippedCount, \.quantizerTotal, \.quantizedCount] {
            result[keyPath: count] = operation(self[keyPath: count], other[keyPath: count])
        }
        return result
    }
}
