// The classes of bytes that the grammars of URLs and headers share.

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isLetterOrDigit: Bool { isDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    var isHexadecimalDigit: Bool { hexadecimalValue != nil }
    /// A space or a tab: `OWS` of RFC 9110, section 5.6.3.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// A byte of a `token` (RFC 9110, section 5.6.2).
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: isLetterOrDigit
        }
    }
    /// A letter of ASCII in lower case; any other byte as it is.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

extension Collection<UInt8> {
    /// Whether the bytes are `text`, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ text: String) -> Bool {
        count == text.utf8.count && zip(self, text.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension BidirectionalCollection<UInt8> where SubSequence == Self {
    /// The bytes without blanks at both ends.
    var trimmed: Self {
        var rest = self
        while rest.first?.isBlank == true { rest.removeFirst() }
        while rest.last?.isBlank == true { rest.removeLast() }
        return rest
    }
}

/// The bytes of a text in which `%` and two digits stand for a byte (RFC 3986, section 2.1).
///
/// - Returns: `nil` for an incomplete encoding, or if the result is not UTF-8 or contains a control character.
func percentDecoded(_ text: some Sequence<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = text.makeIterator()
    while var byte = rest.next() {
        if byte == UInt8(ascii: "%") {
            guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue else {
                return nil
            }
            byte = high << 4 | low
        }
        guard byte >= 0x20, byte != 0x7F else { return nil }
        decoded.append(byte)
    }
    return String(validating: decoded, as: UTF8.self)
}
