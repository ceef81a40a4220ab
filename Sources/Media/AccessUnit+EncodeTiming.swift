extension AccessUnit {
    /// When a frame was encoded by Apus.
    public struct EncodeTiming: Hashable, Sendable {
        /// The number of the source's frame, from 0, modulo 2³². Skipped frames are counted too.
        public let frameNumber: UInt32
        /// When the frame was given to the encoder.
        public let begin: MonotonicTime
        /// When the encoder returned the encoded frame.
        public let end: MonotonicTime

        public init(frameNumber: UInt32, begin: MonotonicTime, end: MonotonicTime) {
            self.frameNumber = frameNumber
            self.begin = begin
            self.end = end
        }
    }
}
