import Codecs

/// A 5×7 bitmap font with the digits, signs and capitals that the test card and the slate need. Avoids a font file.
enum BitmapGlyphs {
    /// The width of a glyph with its gap, in squares.
    static let advance = 6
    /// The height of a glyph, in squares.
    static let height = 7
    private static let black: UInt8 = 16
    private static let white: UInt8 = 235

    /// The size of `text` at `scale` pixels per square, with a margin of one and a half squares around it.
    static func box(of text: String, scale: Int) -> (width: Int, height: Int) {
        ((text.utf8.count * advance + 2) * scale, (height + 3) * scale)
    }

    /// Writes `text` in white on a black box with its upper left corner at even `x` and `y`. Unknown characters are left blank.
    static func draw(_ text: String, x: Int, y: Int, scale: Int, into frame: VideoFrame) {
        let box = box(of: text, scale: scale)
        frame.luma.fill(x: x..<x + box.width, y: y..<y + box.height, with: black)
        for plane in [frame.cb, frame.cr] {
            plane.fill(x: x / 2..<(x + box.width) / 2, y: y / 2..<(y + box.height) / 2, with: 128)
        }
        var left = x + 3 * scale / 2
        for sign in text.utf8 {
            draw(rows(of: sign), x: left, y: y + 3 * scale / 2, scale: scale, into: frame.luma)
            left += advance * scale
        }
    }

    private static func draw(_ rows: [UInt8], x: Int, y: Int, scale: Int, into luma: VideoFrame.Plane) {
        for (row, bits) in rows.enumerated() {
            for column in 0..<5 where bits >> UInt8(4 - column) & 1 == 1 {
                let (left, top) = (x + column * scale, y + row * scale)
                luma.fill(x: left..<left + scale, y: top..<top + scale, with: white)
            }
        }
    }

    /// The rows from the top; the most significant of five bits is on the left. Empty for an unknown character.
    static func rows(of sign: UInt8) -> [UInt8] {
        switch sign {
        case 0x30...0x39: digits[Int(sign - 0x30)]
        case 0x41...0x5A: capitals[sign] ?? []
        default: signs[sign] ?? []
        }
    }

    private static let digits: [[UInt8]] = [
        [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
        [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        [0b11111, 0b00001, 0b00010, 0b00010, 0b00100, 0b00100, 0b00100],
        [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    ]

    private static let signs: [UInt8: [UInt8]] = [
        UInt8(ascii: ":"): [0, 0b01100, 0b01100, 0, 0b01100, 0b01100, 0],
        UInt8(ascii: "."): [0, 0, 0, 0, 0, 0b01100, 0b01100],
        UInt8(ascii: "-"): [0, 0, 0, 0b11111, 0, 0, 0],
        UInt8(ascii: "/"): [0b00001, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10000],
    ]

    private static let capitals: [UInt8: [UInt8]] = [
        UInt8(ascii: "A"): [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
        UInt8(ascii: "C"): [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110],
        UInt8(ascii: "E"): [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
        UInt8(ascii: "G"): [0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01111],
        UInt8(ascii: "I"): [0b01110, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        UInt8(ascii: "L"): [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
        UInt8(ascii: "N"): [0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001, 0b10001],
        UInt8(ascii: "O"): [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        UInt8(ascii: "S"): [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110],
        UInt8(ascii: "F"): [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000],
        UInt8(ascii: "M"): [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
        UInt8(ascii: "R"): [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001],
        UInt8(ascii: "T"): [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
        UInt8(ascii: "U"): [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    ]
}
