import Media

/// What an encoder is asked to make. Audio is not part of it.
public struct EncoderOrder: Hashable, Sendable, CustomStringConvertible {
    /// Of the video alone.
    public var bitrate: DataRate
    public var reduction: FrameReduction

    public init(bitrate: DataRate, reduction: FrameReduction = .none) {
        self.bitrate = bitrate
        self.reduction = reduction
    }

    public var description: String {
        var text = "\(bitrate)"
        if reduction.frameRateDivisor > 1 { text += ", 1/\(reduction.frameRateDivisor) of the frames" }
        if reduction.sizeDivisor > 1 { text += ", 1/\(reduction.sizeDivisor) of the size" }
        return text
    }
}

/// What is given up as the bitrate falls: first only the bitrate, then the frame rate, then the size.
public struct EncoderLadder: Hashable, Sendable {
    /// Applies while the bitrate is at most `share` of the configured one.
    public struct Rung: Hashable, Sendable {
        /// 0...1.
        public var share: Double
        public var reduction: FrameReduction

        public init(share: Double, reduction: FrameReduction) {
            self.share = share
            self.reduction = reduction
        }
    }

    /// Below the configured frame rate and size, from the largest share to the smallest.
    public let rungs: [Rung]

    public init(rungs: [Rung]) {
        self.rungs = rungs.sorted { $0.share > $1.share }
    }

    /// Bitrate alone.
    public static let none = EncoderLadder(rungs: [])

    /// The ladder for a video of this format, with this configured bitrate.
    ///
    /// A step is needed if a pixel gets too few bits, whatever share of the configured bitrate that is: a generous bitrate may
    /// fall further before frames are left out. The share is limited, so that a bitrate that was configured low is not reason
    /// enough for a step.
    public init(for format: FrameFormat, bitrate: DataRate, extent: FrameReduction.Extent) {
        let pixelBits = Double(max(1, bitrate.bitsPerSecond)) / max(1, format.pixelsPerSecond)
        self.init(
            rungs: Self.steps.filter { $0.isPossible(for: format, extent: extent) }.map { step in
                Rung(share: min(step.largestShare, step.bitsPerPixel / pixelBits), reduction: step.reduction)
            })
    }

    private struct Step {
        /// Applies below this number of bits for each pixel of the configured size and frame rate.
        let bitsPerPixel: Double
        /// The largest share of the configured bitrate at which it applies.
        let largestShare: Double
        let reduction: FrameReduction

        /// Whether enough of the video is left, and the step is allowed.
        func isPossible(for format: FrameFormat, extent: FrameReduction.Extent) -> Bool {
            guard extent != .bitrate, extent == .size || reduction.sizeDivisor == 1 else { return false }
            let rest = reduction.applied(to: format)
            return rest.width >= EncoderLadder.leastWidth && rest.height >= EncoderLadder.leastHeight
                && (reduction.frameRateDivisor == 1 || rest.framesPerSecond >= EncoderLadder.leastFrameRate)
        }
    }

    /// Each step starts where a pixel has become coarse, and makes it fine again: half of the frames below 0.03 bits give each
    /// encoded pixel up to 0.06; a quarter of their pixels below 0.0125 gives each up to 0.1.
    private static let steps = [
        Step(bitsPerPixel: 0.03, largestShare: 0.5, reduction: FrameReduction(frameRateDivisor: 2)),
        Step(bitsPerPixel: 0.0125, largestShare: 0.25, reduction: FrameReduction(frameRateDivisor: 2, sizeDivisor: 2)),
        Step(bitsPerPixel: 0.003, largestShare: 0.1, reduction: FrameReduction(frameRateDivisor: 2, sizeDivisor: 4)),
    ]
    /// Fewer frames look like single images.
    private static let leastFrameRate = 7.5
    /// Some hardware encoders refuse frames of less than 128 to 145 pixels.
    private static let leastWidth = 160
    private static let leastHeight = 120

    /// The number of rungs that apply to a share of the configured bitrate.
    func depth(at share: Double) -> Int {
        rungs.count { share <= $0.share }
    }

    func order(_ bitrate: DataRate, depth: Int) -> EncoderOrder {
        guard depth > 0, !rungs.isEmpty else { return EncoderOrder(bitrate: bitrate) }
        return EncoderOrder(bitrate: bitrate, reduction: rungs[min(depth, rungs.count) - 1].reduction)
    }
}
