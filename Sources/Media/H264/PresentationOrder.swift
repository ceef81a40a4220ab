extension H264 {
    /// Computes the delay between decoding and presentation of each picture from picture order counts (ITU-T H.264, 8.2.1), for
    /// streams without timestamps.
    ///
    /// Times are counted in fields; a frame lasts two. Explicit counts (type 0) are followed. For the other types, output order
    /// is assumed to be decoding order: type 2 requires that, and type 1 streams nearly always do it.
    public struct PresentationOrder: Sendable {
        /// The largest decoded picture buffer has 16 frames. A count that implies more reordering is damaged.
        private static let maximumDelay = 32

        private var highBits: Int64 = 0
        private var previousLowBits: Int64 = 0
        /// Fields decoded since the last IDR picture.
        private var decodedFields: Int64 = 0
        /// The delay of all pictures in fields, so that none is presented before it is decoded.
        private var delay: Int64 = 0
        /// The number of frames whose counts differ by one instead of two, as some encoders write them.
        private var countsFrames = false
        private var sawReordering = false

        public init() {}

        /// Whether presentation order differs from decoding order in this stream so far.
        public var isReordered: Bool { sawReordering }

        /// Fields from the decoding of this picture to its presentation, never negative.
        ///
        /// Call it once per picture, in decoding order, with the picture's first slice.
        public mutating func fields(of slice: SliceHeader, in sequence: SequenceParameterSet) -> Int {
            if slice.isBidirectional { sawReordering = true }
            if let frames = sequence.usability?.reorderedFrames, frames > 0 {
                sawReordering = true
                delay = Swift.max(delay, Int64(frames) * 2)
            }
            guard let picture = slice.picture, case .explicit(let bits) = sequence.pictureOrder else { return 0 }
            let count = orderCount(picture, modulus: 1 << Int64(bits), isReference: slice.unit.referenceIDC != 0)
            let position = decodedFields
            decodedFields += picture.field == nil ? 2 : 1
            guard sawReordering else { return 0 }
            let shown = countsFrames && picture.field == nil ? count &* 2 : count
            return clampedOffset(shown &- position)
        }

        private mutating func clampedOffset(_ ahead: Int64) -> Int {
            delay = Swift.min(Swift.max(delay, 0 &- ahead), Int64(Self.maximumDelay))
            let offset = ahead &+ delay
            // Either the encoder skipped frames or the count is damaged: restart, because otherwise the delay would drift.
            if offset > Int64(Self.maximumDelay) { decodedFields = decodedFields &+ (offset &- delay) }
            return Int(offset < 0 ? 0 : offset > Int64(Self.maximumDelay) ? delay : offset)
        }

        /// 8.2.1.1.
        private mutating func orderCount(_ picture: SliceHeader.Picture, modulus: Int64, isReference: Bool) -> Int64 {
            let low = Int64(picture.orderLowBits)
            if picture.idrID != nil {
                (highBits, previousLowBits, decodedFields) = (0, 0, 0)
            }
            if picture.field == nil && low & 1 == 1 { countsFrames = true }
            var high = highBits
            if low < previousLowBits && previousLowBits - low >= modulus / 2 {
                high = high &+ modulus
            } else if low > previousLowBits && low - previousLowBits > modulus / 2 {
                high = high &- modulus
            }
            if isReference { (highBits, previousLowBits) = (high, low) }
            return high &+ low
        }
    }
}
