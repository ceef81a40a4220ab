extension AccessUnit {
    /// How a picture came out of an encoder of Apus.
    public struct EncodeTiming: Hashable, Sendable {
        /// Of the source's pictures from 0, those that were left out counted, modulo 2³².
        public let frameNumber: UInt32
        /// When the encoder was given the picture.
        public let begin: MonotonicTime
        /// When it had coded it.
        public let end: MonotonicTime

        public init(frameNumber: UInt32, begin: MonotonicTime, end: MonotonicTime) {
            self.frameNumber = frameNumber
            self.begin = begin
            self.end = end
        }
    }
}
