/// Base 64 (RFC 4648, section 4), for NAL units in `sprop-parameter-sets` and credentials of Basic authentication.
public enum Base64 {
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            // Missing bytes count as zero; '=' is written for each.
            let bits = (0..<3).reduce(UInt32(0)) {
                $0 << 8 | (start + $1 < group.endIndex ? UInt32(group[start + $1]) : 0)
            }
            for position in 0...3 {
                let index = Int(bits >> UInt32(18 - 6 * position) & 0x3F)
                text.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`; `nil` if it contains another character. Because of real devices, padding may be missing, and excess bits
    /// are ignored.
    public static func decode(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
            guard let value = value(of: character) else { return nil }
            // At most 7 bits remain from before, so there are at most 13 bits.
            bits = (bits << 6 | value) & 0x1FFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return bytes
    }

    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61) + 26
        case 0x30...0x39: UInt32(character - 0x30) + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
