/// Two digits per byte, for the AudioSpecificConfig in `config` (RFC 3640, section 4.1).
enum Hexadecimal {
    /// Encodes in upper case, as most devices do.
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = [UInt8]("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Decodes `text`; `nil` if a character is not a digit, or the number of digits is odd.
    static func decode(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.compactMap(value)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character.lowercasedASCII {
        case let digit where (0x30...0x39).contains(digit): digit - 0x30
        case let letter where (0x61...0x66).contains(letter): letter - 0x61 + 10
        default: nil
        }
    }
}
