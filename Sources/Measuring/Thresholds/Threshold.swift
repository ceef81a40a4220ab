/// What must not be, as a script asks for it: `p99>50ms`.
///
/// ```
/// threshold    = quantity comparison number unit
/// quantity     = [distribution "."] statistic | value
/// distribution = "decoded" | "arrival" | "encoded" | …      (Vocabulary.distributions, whose first is meant where left out)
/// statistic    = "min" | "mean" | "max" | "p" number                                      (p0 to p100)
/// value        = "connected" | "play" | "first-packet" | "jitter" | "loss" | …            (Vocabulary.values)
/// comparison   = ">" | ">=" | "<" | "<="
/// unit         = "us" | "ms" | "s" of durations, "%" of loss, "bit/s" | "kbit/s" | "Mbit/s" of a bitrate, else none
/// ```
/// Spaces may stand between the parts.
public struct Threshold: Hashable, Sendable {
    /// As it was written.
    public let text: String
    let quantity: Quantity
    let comparison: Comparison
    /// In the quantity's own measure: milliseconds, percent, bits per second, or a number.
    let limit: Double

    enum Comparison: String, CaseIterable, Hashable, Sendable {
        // Longer ones first: a reader takes the first that fits.
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
    }

    /// Why a text is no threshold.
    public struct ParseError: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// - Parameter vocabulary: what can be compared.
    public init(_ text: String, in vocabulary: Vocabulary = .stream) throws(ParseError) {
        self.text = text
        let signs = text.utf8.firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }
        guard let signs, let comparison = Comparison.allCases.first(where: { text[signs...].hasPrefix($0.rawValue) })
        else { throw ParseError(description: "'\(text)' compares nothing: write it like \(vocabulary.example)") }
        self.comparison = comparison
        quantity = try Quantity(text[..<signs].trimmed, in: vocabulary)
        let right = text[signs...].dropFirst(comparison.rawValue.count).trimmed
        let digits = right.prefix { "0123456789.".contains($0) }
        guard let number = Double(digits), number.isFinite else {
            throw ParseError(description: "'\(text)' has no number behind \(comparison.rawValue)")
        }
        limit = number * (try quantity.measure.factor(of: right.dropFirst(digits.count).trimmed, in: text))
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
