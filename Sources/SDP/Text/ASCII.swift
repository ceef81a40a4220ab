// SDP is made of ASCII fields between bytes of any kind. These work on bytes: on characters, a combining mark from a
// broken device would swallow the colon before it.

extension String {
    /// Equality that takes A–Z for a–z.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension Substring {
    /// Without the blanks and tabs at both ends.
    var trimmed: Substring {
        var bytes = utf8[...]
        while let first = bytes.first, first.isBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isBlank { bytes.removeLast() }
        return Substring(bytes)
    }

    /// The fields between blanks and tabs; none is empty.
    var fields: [Substring] {
        utf8.split(whereSeparator: \.isBlank).map { Substring($0) }
    }

    /// The pieces between `separator`s, empty ones left out.
    func pieces(separatedBy separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
    }

    /// What stands before and behind the first `separator`; `nil` if there is none.
    func divided(at separator: Unicode.Scalar) -> (before: Substring, behind: Substring)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (Substring(utf8[..<index]), Substring(utf8[utf8.index(after: index)...]))
    }

    /// The first field and all behind it, blanks around them left out.
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
