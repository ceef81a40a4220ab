/// A frame number that machines read back from a picture, also after lossy coding and scaling of brightness.
///
/// A row of 32 squares along the bottom edge, from the left, each 16×16 pixels, black for 0 and white for 1:
///
///     squares  0       1 … 26                     27 … 30                31
///              white   frame number modulo 2²⁶,   its checksum: the      black
///                      most significant first     xor of its nibbles
///
/// The white and the black square at the ends show that there is a code, and what white and black are.
public enum FrameNumberCode {
    /// Pixels of a side of a square.
    public static let squareSide = 16
    private static let squareCount = 32
    private static let numberBits = 26
    /// Numbers from here on start again from 0: after 25 days at 30 frames per second.
    public static let modulus = 1 << numberBits

    /// Width and height of the smallest picture that holds the code, in pixels.
    public static let minimumExtent = (width: squareCount * squareSide, height: squareSide)

    private static let black: UInt8 = 16
    private static let white: UInt8 = 235

    /// Draws `number`, modulo 2²⁶; nothing where the picture is too small.
    public static func draw(_ number: Int, into frame: VideoFrame) {
        guard frame.width >= minimumExtent.width, frame.height >= minimumExtent.height else { return }
        let word = word(for: UInt32(truncatingIfNeeded: number) & UInt32(modulus - 1))
        let top = frame.height - squareSide
        for square in 0..<squareCount {
            let isWhite = word >> UInt32(squareCount - 1 - square) & 1 == 1
            let left = square * squareSide
            frame.luma.fill(
                x: left..<left + squareSide, y: top..<frame.height, with: isWhite ? white : black)
        }
        frame.cb.fill(x: 0..<minimumExtent.width / 2, y: top / 2..<frame.cb.height, with: 128)
        frame.cr.fill(x: 0..<minimumExtent.width / 2, y: top / 2..<frame.cr.height, with: 128)
    }

    /// The number in a picture of the size in which it was drawn; `nil` where there is none, or a damaged one.
    public static func read(_ frame: VideoFrame) -> Int? {
        guard frame.width >= minimumExtent.width, frame.height >= minimumExtent.height else { return nil }
        let levels = (0..<squareCount).map { level(of: $0, in: frame.luma) }
        let (white, black) = (levels[0], levels[squareCount - 1])
        guard white - black >= 64 else { return nil }
        let threshold = (white + black) / 2
        let word = levels.reduce(UInt32(0)) { $0 << 1 | ($1 > threshold ? 1 : 0) }
        let number = word >> 5 & UInt32(modulus - 1)
        return Self.word(for: number) == word ? Int(number) : nil
    }

    private static func word(for number: UInt32) -> UInt32 {
        var checksum: UInt32 = 0
        for shift in stride(from: 0, to: UInt32(numberBits), by: 4) { checksum ^= number >> shift & 0xF }
        return 1 << 31 | number << 5 | checksum << 1
    }

    /// The average of the middle of a square, away from its blurred edges.
    private static func level(of square: Int, in luma: VideoFrame.Plane) -> Int {
        let inset = squareSide / 4
        let left = square * squareSide + inset
        let top = luma.height - squareSide + inset
        var sum = 0
        for y in top..<top + squareSide / 2 {
            for x in left..<left + squareSide / 2 { sum += Int(luma[x, y]) }
        }
        return sum / (squareSide * squareSide / 4)
    }
}
