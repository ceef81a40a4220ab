import RateControl

/// What a source's video encoder has done, and what it makes.
public struct SourceStatus: Hashable, Sendable {
    /// Encoded frames.
    public var pictureCount = 0
    /// Frames that were skipped because their time had passed: the host is too slow or was suspended.
    public var skippedCount = 0
    /// The sum of the quantizers of `quantizedCount` frames.
    public var quantizerTotal = 0
    public var quantizedCount = 0
    /// What the encoder makes if nothing is reduced for the viewers; `nil` before its first frame.
    public var frames: FrameFormat?
    /// What the encoder makes.
    public var encodedFrames: FrameFormat?

    public init() {}

    /// The average quantizer, 0 to 51 (higher is coarser); `nil` if the encoder does not report it.
    public var averageQuantizer: Double? {
        quantizedCount > 0 ? Double(quantizerTotal) / Double(quantizedCount) : nil
    }

    /// What two runs of a source have done, and what the later one makes.
    public static func + (earlier: Self, later: Self) -> Self {
        var result = later.combined(with: earlier, by: +)
        if later.frames == nil { (result.frames, result.encodedFrames) = (earlier.frames, earlier.encodedFrames) }
        return result
    }

    /// What was done between two samples of the same source.
    public static func - (later: Self, earlier: Self) -> Self { later.combined(with: earlier, by: -) }

    private func combined(with other: Self, by operation: (Int, Int) -> Int) -> Self {
        var result = self
        for count in [\Self.pictureCount, \.skippedCount, \.quantizerTotal, \.quantizedCount] {
            result[keyPath: count] = operation(self[keyPath: count], other[keyPath: count])
        }
        return result
    }
}
