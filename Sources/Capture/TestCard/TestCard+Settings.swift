import Codecs

extension TestCard {
    /// Size, rate and coding of the picture, and of the sound if there is to be any.
    public struct Settings: Hashable, Sendable {
        public var video = VideoEncoder.Settings()
        /// `nil` for a stream without sound.
        public var audio: AudioEncoder.Settings? = AudioEncoder.Settings()

        public init() {}
    }

    /// What it has done so far, over all its runs.
    public struct Statistics: Hashable, Sendable {
        /// Pictures drawn, coded and published.
        public var pictureCount = 0
        /// Pictures left out because their instant had passed: the machine is too slow, or was stopped.
        public var skippedCount = 0
        /// What the quantizers of `quantizedCount` pictures add up to.
        public var quantizerTotal = 0
        public var quantizedCount = 0

        /// The average quantizer, 0 to 51: the higher, the coarser; `nil` where the encoder does not tell.
        public var averageQuantizer: Double? {
            quantizedCount > 0 ? Double(quantizerTotal) / Double(quantizedCount) : nil
        }

        public init() {}
    }
}
