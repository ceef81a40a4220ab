import Wire

/// The machine-readable timestamp overlay: a frame's capture time and number, drawn into the frame as black and white cells,
/// which software reads from a screenshot of any player (docs/timestamp-overlay.md).
///
/// ```
/// 14 bytes, 28 bits to a row, most significant first; a white cell is 1
/// capture, tenths of a millisecond since 1970 (UTC), 6 | frame number, 4 | CRC-32 of these ten, 4
/// ```
public struct TimestampOverlay: Hashable, Sendable {
    /// Tenths of a millisecond since 1970, UTC. The overlay has the low 48 bits, which last until 2861.
    private let tenths: UInt64
    /// The number of the source's frame, from 0, modulo 2³². Skipped frames are counted too.
    public let frameNumber: UInt32

    private static let nanosecondsPerTenth: Int64 = 100_000

    /// - Parameter unixNanoseconds: time of capture since 1970, UTC; rounded down to 0.1 ms. Earlier times become 1970.
    public init(unixNanoseconds: Int64, frameNumber: UInt32) {
        tenths = UInt64(max(0, unixNanoseconds) / Self.nanosecondsPerTenth)
        self.frameNumber = frameNumber
    }

    /// The time of capture in nanoseconds since 1970, UTC: a multiple of 0.1 ms.
    public var unixNanoseconds: Int64 { Int64(tenths) * Self.nanosecondsPerTenth }
}

// MARK: - Bytes

extension TimestampOverlay {
    /// Includes the CRC.
    static let byteCount = 14

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.uint16(UInt16(truncatingIfNeeded: tenths >> 32))
        writer.uint32(UInt32(truncatingIfNeeded: tenths))
        writer.uint32(frameNumber)
        writer.uint32(cyclicRedundancyCheck(writer.bytes))
        return writer.bytes
    }

    /// `nil` if the CRC does not match, or if nanoseconds cannot represent the time (after 2262).
    init?(parsing bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, cyclicRedundancyCheck(bytes) == 0 else { return nil }
        var reader = ByteReader(bytes.rawSpan)
        guard let high = reader.uint16(), let low = reader.uint32(), let number = reader.uint32() else { return nil }
        tenths = UInt64(high) << 32 | UInt64(low)
        frameNumber = number
        guard tenths <= UInt64(Int64.max / Self.nanosecondsPerTenth) else { return nil }
    }
}

/// The grid of cells. Rows and columns count from the upper left corner and include the quiet zone.
///
/// ```
///   column   0   1 2 3   4   5   6   7 … 34   35   36   37   38 39 40   41
///   row 0    quiet zone: white
///   row 1–4  □   ■ ■ ■   □   ■   □   28 bits   □    ■    □    ■  ■  ■    □
///   row 5    quiet zone: white
/// ```
/// The bars of widths 3, 1, 1 and 1, 1, 3 mark the position, the cell size, and the black and white levels.
extension TimestampOverlay {
    public static let columnCount = 42
    public static let rowCount = 6

    /// Columns from the outer edge of the left bars to the outer edge of the right bars.
    static let innerColumnCount = 40
    static let innerRowCount = 4
    /// Columns from the outer edge of the left bars to the first bit.
    static let firstBit = 6
    static let bitsPerRow = 28

    private static let blackColumns: Set<Int> = [1, 2, 3, 5, 36, 38, 39, 40]

    /// The cells row by row; true is white.
    public var cells: [[Bool]] {
        let bytes = bytes
        return (0..<Self.rowCount).map { row in
            guard (1...Self.innerRowCount).contains(row) else { return Array(repeating: true, count: Self.columnCount) }
            return (0..<Self.columnCount).map { column in
                let bit = column - 1 - Self.firstBit
                guard (0..<Self.bitsPerRow).contains(bit) else { return !Self.blackColumns.contains(column) }
                let index = (row - 1) * Self.bitsPerRow + bit
                return bytes[index / 8] >> (7 - index % 8) & 1 == 1
            }
        }
    }

    /// Reads the bits, row by row; `nil` if the CRC does not match.
    init?(bits: [Bool]) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        for (index, bit) in bits.enumerated() where bit && index < Self.byteCount * 8 {
            bytes[index / 8] |= 1 << (7 - index % 8)
        }
        self.init(parsing: bytes)
    }
}

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

        public var isLeft: Bool { self == .topLeft || self == .bottomLeft }
        public var isTop: Bool { self == .topLeft || self == .topRight }
    }
}
