/// The size of a video's frames, and how many come in a second.
public struct FrameFormat: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int
    public var framesPerSecond: Double

    public init(width: Int, height: Int, framesPerSecond: Double) {
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }

    var pixelsPerSecond: Double { Double(width) * Double(height) * max(0, framesPerSecond) }

    /// `1280×720 at 30 fps`.
    public var description: String {
        let hundredths = (framesPerSecond * 100).rounded() / 100
        let rate = hundredths == hundredths.rounded() ? "\(Int(hundredths))" : "\(hundredths)"
        return "\(width)×\(height) at \(rate) fps"
    }
}
