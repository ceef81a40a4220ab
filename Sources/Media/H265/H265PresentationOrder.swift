extension H265 {
    /// Computes the delay between decoding and presentation of each picture from picture order counts (ITU-T H.265, 8.3.1), for
    /// streams without timestamps. Times are counted in frames.
    public struct PresentationOrder: Sendable {
        /// A count that implies more reordering than the largest decoded picture buffer allows is damaged.
        private static let maximumDelay: Int64 = 16

        private var previousHighBits: Int64 = 0
        private var previousLowBits: Int64 = 0
        /// The picture order count of the next picture in decoding order, if pictures were not reordered.
        private var position: Int64 = 0
        /// The delay of all pictures, so that none is presented before it is decoded.
        private var delay: Int64 = 0

        public init() {}

        /// Frames from the decoding of this picture to its presentation, never negative.
        ///
        /// Call it once per picture, in decoding order, with the picture's first slice.
        public mutating func frames(of slice: SliceHeader) -> Int {
            delay = Swift.max(delay, Int64(slice.sequence.reorderedPictures))
            let count = orderCount(slice)
            // After an IDR picture counts begin anew; a gap in the counts, such as at a broken link, does the same.
            if slice.type.isIDR || abs(count &- position) > Self.maximumDelay { position = count }
            let ahead = count &- position
            position &+= 1
            delay = Swift.min(Swift.max(delay, 0 &- ahead), Self.maximumDelay)
            return Int(Swift.min(Swift.max(ahead &+ delay, 0), 2 * Self.maximumDelay))
        }

        /// PicOrderCntVal.
        private mutating func orderCount(_ slice: SliceHeader) -> Int64 {
            let modulus = Int64(1) << Int64(slice.sequence.orderBits)
            let low = Int64(slice.orderLowBits)
            var high = previousHighBits
            if slice.type.isIDR {
                high = 0
            } else if low < previousLowBits, previousLowBits - low >= modulus / 2 {
                high = high &+ modulus
            } else if low > previousLowBits, low - previousLowBits > modulus / 2 {
                high = high &- modulus
            }
            // Counts refer to the last picture of the lowest sub-layer that others may refer to.
            if slice.temporalID == 0, !slice.type.isLeading, !slice.type.isSubLayerNonReference {
                (previousHighBits, previousLowBits) = (high, low)
            }
            return high &+ low
        }
    }
}
