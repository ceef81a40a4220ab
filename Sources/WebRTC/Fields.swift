extension String {
    /// The non-empty fields between blanks.
    var fields: [String] {
        utf8.split(separator: 0x20).map { String(Substring($0)) }
    }

    /// The field before the first blank, and the text behind it; `nil` without a blank.
    var firstFieldAndRest: (first: String, rest: String)? {
        guard let blank = utf8.firstIndex(of: 0x20) else { return nil }
        return (String(self[..<blank]), String(self[utf8.index(after: blank)...]))
    }
}
