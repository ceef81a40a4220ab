// SDP consists of ASCII fields between bytes of any kind. These functions work on bytes, because in a String a combining mark
// from a broken device would merge with the colon before it.

extension String {
    /// Case-insensitive equality of ASCII letters.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension Substring {
    /// This text without blanks and tabs at both ends.
    var trimmed: Substring {
        var bytes = utf8[...]
        while let first = bytes.first, first.isBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isBlank { bytes.removeLast() }
        return Substring(bytes)
    }

    /// The non-empty fields between blanks and tabs.
    var fields: [Substring] {
        utf8.split(whereSeparator: \.isBlank).map { Substring($0) }
    }

    /// The non-empty parts between `separator`s.
    func pieces(separatedBy separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
    }

    /// The parts before and after the first `separator`; `nil` if there is none.
    func divided(at separator: Unicode.Scalar) -> (before: Substring, behind: Substring)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (Substring(utf8[..<index]), Substring(utf8[utf8.index(after: index)...]))
    }

    /// The first field and the rest, both trimmed.
    var firstFieldAndRest: (first: Substring, rest: Substring)? {
        let text = trimmed
        guard !text.isEmpty else { return nil }
        guard let blank = text.utf8.firstIndex(where: \.isBlank) else { return (text, "") }
        return (Substring(text.utf8[..<blank]), Substring(text.utf8[blank...]).trimmed)
    }
}

extension UInt8 {
    /// A blank or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension UInt64 {
    /// Parses decimal digits without sign and blanks; `nil` for other text or more than 64 bits.
    init?(decimal text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text) else {
            return nil
        }
        self = value
    }
}
