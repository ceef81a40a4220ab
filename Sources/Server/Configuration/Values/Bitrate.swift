/// A bitrate as users write it: `4000000`, `4M`, `1.5M` or `500k`.
public struct Bitrate: Hashable, Sendable {
    /// In bit/s.
    public let value: Int

    /// What ``init(_:)`` accepts, for messages.
    public static let example = "such as 4M, 500k or 4000000"

    /// Reads digits, with or without a decimal point, and one of the decimal multiples k (1000), M (1 000 000) and G, in either case.
    ///
    /// `nil` for other text, and for a value that is not a whole number of bit/s.
    public init?(_ text: String) {
        let exponents: [Character: Int] = ["k": 3, "K": 3, "m": 6, "M": 6, "g": 9, "G": 9]
        let exponent = text.last.flatMap { exponents[$0] } ?? 0
        let number = exponent > 0 ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? String(parts[1]) : ""
        guard let whole = parts.first, !whole.isEmpty, parts.count == 1 || !decimals.isEmpty,
            (whole + decimals).utf8.allSatisfy({ (0x30...0x39).contains($0) }), decimals.count <= exponent,
            let value = Int(whole + decimals + String(repeating: "0", count: exponent - decimals.count))
        else { return nil }
        self.value = value
    }
}
