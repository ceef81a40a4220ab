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
