/// The lines of a description without blank lines.
///
/// CRLF, LF, CR and NUL all end a line, so no value contains them, and a written description parses to the same value.
struct Lines: Sequence, IteratorProtocol {
    struct Line {
        /// Counted from 1, as in an editor.
        let number: Int
        /// The letter before `=`; `nil` if the line is malformed.
        let kind: Unicode.Scalar?
        /// The text after `=`, without trailing blanks.
        let value: Substring
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> Line? {
        while offset < bytes.count {
            let text = takeLine()
            number += 1
            if !text.trimmed.isEmpty { return line(text.trimmed) }
        }
        return nil
    }

    private mutating func takeLine() -> Substring {
        let end = bytes[offset...].firstIndex { $0 == 0x0A || $0 == 0x0D || $0 == 0 } ?? bytes.count
        // Bytes that are not UTF-8 become U+FFFD.
        let text = Substring(String(decoding: bytes[offset..<end], as: UTF8.self))
        let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
        offset = end + (isPair ? 2 : 1)
        return text
    }

    private func line(_ text: Substring) -> Line {
        guard let letter = text.utf8.first, text.utf8.dropFirst().first == UInt8(ascii: "="),
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
        else { return Line(number: number, kind: nil, value: "") }
        return Line(number: number, kind: Unicode.Scalar(letter), value: Substring(text.utf8.dropFirst(2)))
    }
}
