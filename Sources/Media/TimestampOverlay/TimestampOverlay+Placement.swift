extension TimestampOverlay {
    /// Where the code is drawn in a picture.
    public struct Placement: Hashable, Sendable {
        /// Of the code's upper left corner, in pixels: even.
        public let left: Int
        public let top: Int
        /// Of one cell's side.
        public let cellSide: Int

        /// The smallest picture that holds the code.
        public static let minimumExtent = (width: smallestCellSide * columnCount, height: smallestCellSide * 36)
        private static let smallestCellSide = 4

        /// A sixth of the picture's height at most, or all of its width, in a corner.
        ///
        /// Cells of 8 pixels or more are whole multiples of 4: their edges are often those of the encoder's blocks.
        ///
        /// - Returns: `nil` where the picture is too small.
        public init?(in corner: Corner, width: Int, height: Int) {
            let side = min(height / 36, width / TimestampOverlay.columnCount)
            guard side >= Self.smallestCellSide else { return nil }
            cellSide = side < 8 ? side : side & ~3
            left = corner.isLeft ? 0 : (width - TimestampOverlay.columnCount * cellSide) & ~1
            top = corner.isTop ? 0 : (height - TimestampOverlay.rowCount * cellSide) & ~1
        }
    }

    /// A corner of a picture.
    public enum Corner: String, CaseIterable, Hashable, Sendable {
        case topLeft, topRight, bottomLeft, bottomRight

        var isLeft: Bool { self == .topLeft || self == .bottomLeft }
        var isTop: Bool { self == .topLeft || self == .topRight }
    }
}
