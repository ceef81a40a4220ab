/// What is left out of a video so that fewer bits suffice.
public struct FrameReduction: Hashable, Sendable {
    /// Every n-th frame is encoded.
    public var frameRateDivisor: Int
    /// Width and height are divided by this.
    public var sizeDivisor: Int

    public init(frameRateDivisor: Int = 1, sizeDivisor: Int = 1) {
        self.frameRateDivisor = max(1, frameRateDivisor)
        self.sizeDivisor = max(1, sizeDivisor)
    }

    /// All frames in their size.
    public static let none = FrameReduction()

    /// What may be left out.
    public enum Extent: String, Hashable, Sendable, CaseIterable {
        /// Nothing: only the bitrate is reduced.
        case bitrate
        case frameRate
        /// The frame rate first, then the size.
        case size
    }

    /// The frames that are left. Sides are even, as encoders need them.
    public func applied(to format: FrameFormat) -> FrameFormat {
        FrameFormat(
            width: side(format.width), height: side(format.height),
            framesPerSecond: format.framesPerSecond / Double(frameRateDivisor))
    }

    private func side(_ length: Int) -> Int { sizeDivisor == 1 ? length : length / sizeDivisor & ~1 }
}
