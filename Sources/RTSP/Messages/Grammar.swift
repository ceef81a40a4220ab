/// The lexical rules that all headers share (RFC 2326, section 15.1). They work on UTF-8 bytes, because a combining character
/// after a comma would hide the comma from `Character`.
extension StringProtocol where SubSequence == Substring {
    /// The trimmed pieces between `separator`s outside quoted strings, without empty pieces, as the `#rule` requires.
    func pieces(separatedBy separator: Unicode.Scalar) -> [Substring] {
        var isQuoted = false
        return self[...].utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return !isQuoted && byte == UInt8(ascii: separator)
        }
        .map { Substring($0).trimmed }
        .filter { !$0.isEmpty }
    }

    /// The trimmed texts before and after the first `separator`; `nil` if there is none.
    func halves(around separator: Unicode.Scalar) -> (Substring, Substring)? {
        let bytes = self[...].utf8
        guard let index = bytes.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (Substring(bytes[..<index]).trimmed, Substring(bytes[index...].dropFirst()).trimmed)
    }

    /// The text without leading and trailing linear white space.
    var trimmed: Substring {
        var rest = self[...].utf8
        while rest.first?.isLinearWhiteSpace == true { rest.removeFirst() }
        while rest.last?.isLinearWhiteSpace == true { rest.removeLast() }
        return Substring(rest)
    }

    /// The text without its enclosing double quotes, if it has them.
    var unquoted: Substring {
        let bytes = self[...].utf8
        let quote = UInt8(ascii: "\"")
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return self[...] }
        return Substring(bytes.dropFirst().dropLast())
    }

    /// The value of a text of at most `maximumDigits` digits; `nil` for anything else, signs included.
    func decimal(maximumDigits: Int = 18) -> Int? {
        guard maximumDigits <= 18, (1...maximumDigits).contains(utf8.count), utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        return utf8.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Whether both texts are equal, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the text starts with `prefix`, ignoring the case of ASCII letters.
    func hasPrefixIgnoringCase(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the text is a `token`.
    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenByte) }
}

extension String {
    /// The text of a message's line. If the line is not valid UTF-8, each byte that is not ASCII becomes a question mark, because
    /// U+FFFD would make the line longer, maybe longer than its limit.
    init(line: ArraySlice<UInt8>) {
        self =
            String(validating: line, as: UTF8.self)
            ?? String(decoding: line.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased) }

    var isLinearWhiteSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether the byte is a control character, the horizontal tab excepted.
    var isForbiddenControl: Bool { self < 0x20 && self != UInt8(ascii: "\t") || self == 0x7F }

    /// Whether the byte may stand in a host name or an address literal, scope and brackets included.
    var isAddressByte: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "%"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            return true
        default: return false
        }
    }

    /// Whether the byte may stand in a token: `!#$%&'*+-.^_`|~`, letters and digits.
    var isTokenByte: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "!"), 0x23...0x27, UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// The value of a hexadecimal digit.
    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
