extension TimestampOverlay {
    /// The position of the overlay in a frame.
    public struct Placement: Hashable, Sendable {
        /// The left edge of the overlay in pixels: even.
        public let left: Int
        public let top: Int
        /// The side of one cell in pixels.
        public let cellSide: Int

        /// The size of the smallest frame that holds the overlay.
        public static let minimumExtent = (width: smallestCellSide * columnCount, height: smallestCellSide * 36)
        private static let smallestCellSide = 4

        /// Places the overlay in a corner: at most a sixth of the frame's height, or the frame's full width.
        ///
        /// Cells of 8 pixels or more are multiples of 4, so that their edges often coincide with the encoder's blocks.
        ///
        /// - Returns: `nil` if the frame is too small.
        public init?(in corner: Corner, width: Int, height: Int) {
            let side = min(height / 36, width / TimestampOverlay.columnCount)
            guard side >= Self.smallestCellSide else { return nil }
            cellSide = side < 8 ? side : side & ~3
            left = corner.isLeft ? 0 : (width - TimestampOverlay.columnCount * cellSide) & ~1
            top = corner.isTop ? 0 : (height - TimestampOverlay.rowCount * cellSide) & ~1
        }
    }

    /// A corner of a frame.
    public enum Corner: String, CaseIterable, Hashable, Sendable {
        case topLeft, topRight, bottomLeft, bottomRight

        var isLeft: Bool { self == .topLeft || self == .bottomLeft }
        var isTop: Bool { self == .topLeft || self == .topRight }
    }
}
