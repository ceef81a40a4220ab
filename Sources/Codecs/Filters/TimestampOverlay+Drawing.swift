import Media

extension TimestampOverlay {
    private static let black: UInt8 = 16
    private static let white: UInt8 = 235

    /// Draws the overlay into a corner of `frame` (some hundredths of a millisecond), unless the frame is too small.
    ///
    /// - Parameter frame: must be writable (`VideoFrame.writable`).
    public func draw(in corner: Corner, of frame: VideoFrame) {
        guard let place = Placement(in: corner, width: frame.width, height: frame.height) else { return }
        let side = place.cellSide
        let columns = place.left..<place.left + Self.columnCount * side
        for (index, row) in cells.enumerated() {
            let top = place.top + index * side
            for (column, isWhite) in row.enumerated() {
                let left = place.left + column * side
                frame.luma.fill(x: left..<left + side, y: top..<top + 1, with: isWhite ? Self.white : Self.black)
            }
            frame.luma.repeatRow(top, x: columns, in: top + 1..<top + side)
        }
        let rows = place.top..<place.top + Self.rowCount * side
        for plane in [frame.cb, frame.cr] {
            plane.fill(
                x: columns.lowerBound / 2..<columns.upperBound / 2, y: rows.lowerBound / 2..<rows.upperBound / 2,
                with: 128)
        }
    }
}

extension VideoFrame.Plane {
    /// Copies a part of one row to other rows. All of it must lie inside the plane.
    fileprivate func repeatRow(_ row: Int, x: Range<Int>, in rows: Range<Int>) {
        let source = base + row * stride + x.lowerBound
        for other in rows { (base + other * stride + x.lowerBound).update(from: source, count: x.count) }
    }
}
