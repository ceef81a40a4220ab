/// A condition that must not hold, such as `p99>50ms`.
///
/// ```
/// threshold    = quantity comparison number unit
/// quantity     = [distribution "."] statistic | value
/// distribution = "decoded" | "arrival" | "encoded" | …      (Vocabulary.distributions; the first is the default)
/// statistic    = "min" | "mean" | "max" | "p" number                                      (p0 to p100)
/// value        = "connected" | "play" | "first-packet" | "jitter" | "loss" | …            (Vocabulary.values)
/// comparison   = ">" | ">=" | "<" | "<="
/// unit         = "us" | "ms" | "s" of durations, "%" of loss, "bit/s" | "kbit/s" | "Mbit/s" of a bitrate, else none
/// ```
/// Spaces may stand between the parts.
public struct Threshold: Hashable, Sendable {
    /// The threshold as the user wrote it.
    public let text: String
    let quantity: Quantity
    let comparison: Comparison
    /// In the unit of the quantity: milliseconds, percent, bit/s, or a plain number.
    let limit: Double

    enum Comparison: String, CaseIterable, Hashable, Sendable {
        // Longer operators first, because the parser takes the first match.
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
    }

    /// Why a text is not a threshold.
    public struct ParseError: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// - Parameter vocabulary: the quantities that can be compared.
    public init(_ text: String, in vocabulary: Vocabulary = .stream) throws(ParseError) {
        self.text = text
        let signs = text.utf8.firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
        guard let signs, let comparison = Comparison.allCases.first(where: { text[signs...].hasPrefix($0.rawValue) })
        else { throw ParseError(description: "'\(text)' is not a comparison; write it like \(vocabulary.example)") }
        self.comparison = comparison
        quantity = try Quantity(text[..<signs].trimmed, in: vocabulary)
        let right = text[signs...].dropFirst(comparison.rawValue.count).trimmed
        let digits = right.prefix { "0123456789.".contains($0) }
        guard let number = Double(digits), number.isFinite else {
            throw ParseError(description: "'\(text)' has no number after \(comparison.rawValue)")
        }
        limit = number * (try quantity.dimension.factor(of: right.dropFirst(digits.count).trimmed, in: text))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
