/// An option as the reference file shows it.
struct OptionText<Section> {
    /// The values that it takes, as the end of a sentence: `a whole number from 1 to 64`.
    let expectation: String
    /// Why a user would change it.
    let reason: String
    /// Its value in a section, in YAML; `nil` if it has none.
    let value: (Section) -> String?

    /// The option with its value in `section`: reason, accepted values, when a change takes effect, and the line itself.
    ///
    /// Each line is indented by `indent` spaces and ends with a line feed.
    func lines(
        _ key: String, _ section: Section, _ effect: OptionEffect, isOverHTTP: Bool, indent: Int
    ) -> String {
        let value = value(section)
        let values = "Expects \(expectation)\(value.map { "; the default is \($0)" } ?? "")."
        let http = isOverHTTP ? ["It can also be changed over HTTP."] : []
        return ([reason, values] + http + [effect.sentence]).map { comment($0, indent: indent) }.joined()
            + blanks(indent) + "\(key): \(value ?? quoted(""))\n"
    }
}

/// Whether `text` is one line without control characters, because session descriptions and logs contain it.
func isLine(_ text: String, maximumBytes: Int) -> Bool {
    text.utf8.count <= maximumBytes && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}

/// `text` as a double-quoted YAML scalar. Scalars that YAML does not allow unescaped, or takes for the end of a line, are escaped.
func quoted(_ text: String) -> String {
    let body = text.unicodeScalars.map { scalar -> String in
        switch scalar.value {
        case 0x22, 0x5C: return "\\\(scalar)"
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }
    return "\"\(body.joined())\""
}

/// `text` as comment lines of at most 110 columns.
func comment(_ text: String, indent: Int) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let last = lines.last, indent + last.count + word.count + 3 <= 110 {
            lines[lines.count - 1] = last + " " + word
        } else {
            lines.append(String(word))
        }
    }
    return lines.map { blanks(indent) + "# \($0)\n" }.joined()
}

func blanks(_ count: Int) -> String {
    String(repeating: " ", count: count)
}
