/// Formats numbers for the wire.
enum Digits {
    /// `value` in upper-case hexadecimal, padded with zeros to `count` digits.
    static func hexadecimal(_ value: some FixedWidthInteger, count: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// The bytes in lower-case hexadecimal, two digits each.
    static func hexadecimal(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// A `value` that is not negative, padded with zeros to `count` digits.
    static func decimal(_ value: Int64, count: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
