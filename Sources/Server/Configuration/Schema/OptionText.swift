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
    func lines(_ key: String, _ section: Section, _ effect: OptionEffect, indent: Int) -> String {
        let value = value(section)
        let values = "Expects \(expectation)\(value.map { "; the default is \($0)" } ?? "")."
        return [reason, values, effect.sentence].map { comment($0, indent: indent) }.joined()
            + blanks(indent) + "\(key): \(value ?? quoted(""))\n"
    }
}

/// Whether `text` is one line without control characters, because session descriptions and logs contain it.
func isLine(_ text: String, maximumBytes: Int) -> Bool {
    text.utf8.count <= maximumBytes && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}

/// `text` as a double-quoted YAML scalar.
func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
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
