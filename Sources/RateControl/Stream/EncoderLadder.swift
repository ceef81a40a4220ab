/// What an encoder is asked to make. Audio is not part of it.
public struct EncoderOrder: Hashable, Sendable, CustomStringConvertible {
    /// Of the video alone.
    public var bitrate: DataRate
    /// Every n-th frame is encoded.
    public var frameRateDivisor: Int
    /// Width and height are divided by this.
    public var sizeDivisor: Int

    public init(bitrate: DataRate, frameRateDivisor: Int = 1, sizeDivisor: Int = 1) {
        self.bitrate = bitrate
        self.frameRateDivisor = frameRateDivisor
        self.sizeDivisor = sizeDivisor
    }

    public var description: String {
        var text = "\(bitrate)"
        if frameRateDivisor > 1 { text += ", 1/\(frameRateDivisor) of the frames" }
        if sizeDivisor > 1 { text += ", 1/\(sizeDivisor) of the size" }
        return text
    }
}

/// What is given up as the bitrate falls: first only the bitrate, then the frame rate, then the size.
public struct EncoderLadder: Hashable, Sendable {
    /// Applies while the bitrate is at most `share` of the configured one.
    public struct Rung: Hashable, Sendable {
        /// 0...1.
        public var share: Double
        public var frameRateDivisor: Int
        public var sizeDivisor: Int

        public init(share: Double, frameRateDivisor: Int, sizeDivisor: Int) {
            self.share = share
            self.frameRateDivisor = frameRateDivisor
            self.sizeDivisor = sizeDivisor
        }
    }

    /// Below the configured frame rate and size, from the largest share to the smallest.
    public let rungs: [Rung]

    public init(rungs: [Rung]) {
        self.rungs = rungs.sorted { $0.share > $1.share }
    }

    /// Half of the frames below 35 % of the bitrate, which then gives each frame 70 % of its bits. Half the width and height
    /// below 15 %, which then gives each pixel 1.2 × its bits.
    public static let standard = EncoderLadder(rungs: [
        Rung(share: 0.35, frameRateDivisor: 2, sizeDivisor: 1),
        Rung(share: 0.15, frameRateDivisor: 2, sizeDivisor: 2),
    ])

    /// Bitrate alone.
    public static let none = EncoderLadder(rungs: [])

    /// The number of rungs that apply to a share of the configured bitrate.
    func depth(at share: Double) -> Int {
        rungs.count { share <= $0.share }
    }

    func order(_ bitrate: DataRate, depth: Int) -> EncoderOrder {
        guard depth > 0 else { return EncoderOrder(bitrate: bitrate) }
        let rung = rungs[min(depth, rungs.count) - 1]
        return EncoderOrder(
            bitrate: bitrate, frameRateDivisor: max(1, rung.frameRateDivisor), sizeDivisor: max(1, rung.sizeDivisor))
    }
}
