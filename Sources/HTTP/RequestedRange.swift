/// The part of a body that a request asks for by the header `Range` (RFC 9110, section 14).
public enum RequestedRange: Hashable, Sendable {
    /// The whole body, also for what the server may ignore: another unit, several parts, a malformed header.
    case whole
    /// Bytes of the body; not empty.
    case part(Range<Int>)
    /// The body has none of the bytes.
    case unsatisfiable

    /// - Parameters:
    ///   - headers: the values of `Range`.
    ///   - byteCount: the length of the whole body.
    public init(_ headers: [String], of byteCount: Int) {
        guard headers.count == 1, let (first, last) = Self.positions(Array(headers[0].utf8)) else {
            self = .whole
            return
        }
        switch (first, last) {
        case (let first?, let last?) where first > last:
            self = .whole
        case (let first?, let last):
            self =
                first < byteCount
                ? .part(first..<(last.map { min($0, byteCount - 1) + 1 } ?? byteCount)) : .unsatisfiable
        case (nil, let length?):
            self = length > 0 && byteCount > 0 ? .part(max(0, byteCount - length)..<byteCount) : .unsatisfiable
        case (nil, nil):
            self = .whole
        }
    }

    /// Reads `bytes=FIRST-LAST`, of which one may be missing.
    private static func positions(_ text: [UInt8]) -> (Int?, Int?)? {
        let unit = Array("bytes=".utf8)
        guard text.count > unit.count, text.prefix(unit.count).map(\.lowercased) == unit else { return nil }
        let parts = text.dropFirst(unit.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let numbers = parts.map { part -> Int?? in
            let digits = part.trimmed
            if digits.isEmpty { return .some(nil) }
            guard digits.count <= 18, digits.allSatisfy(\.isDigit) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        guard let first = numbers[0], let last = numbers[1] else { return nil }
        return (first, last)
    }
}
