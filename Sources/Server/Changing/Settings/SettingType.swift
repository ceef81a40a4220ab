/// The type of a setting's value.
public enum SettingType: Hashable, Sendable {
    /// - Parameter unit: empty for none.
    case integer(ClosedRange<Int>, unit: String)
    case flag
    /// One line.
    case text(maximumByteCount: Int)
    /// One of these words.
    case choice([String])
    /// A list of rectangles, each a list of left, top, width and height: all numbers of pixels, or all texts such as `12.5%`.
    case rectangles(maximumCount: Int)
    /// Texts by name. A number stands for its digits, and a flag for `true` or `false`.
    case texts(maximumCount: Int)

    /// Whether a value has this type. It may still be out of bounds.
    func accepts(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (.integer, .number), (.flag, .flag), (.text, .text), (.choice, .text): true
        case (.rectangles, .list(let list)): list.allSatisfy(Self.isRectangle)
        case (.texts, .map(let map)): map.values.allSatisfy { Self.isScalar($0) || Self.isFlag($0) }
        case (.integer, _), (.flag, _), (.text, _), (.choice, _), (.rectangles, _), (.texts, _): false
        }
    }

    private static func isRectangle(_ value: SettingValue) -> Bool {
        guard case .list(let lengths) = value else { return false }
        return lengths.allSatisfy(isScalar)
    }

    private static func isScalar(_ value: SettingValue) -> Bool {
        switch value {
        case .number, .text: true
        case .flag, .list, .map: false
        }
    }

    private static func isFlag(_ value: SettingValue) -> Bool { if case .flag = value { true } else { false } }

    /// The values of this type, as the end of a sentence; `nil` if the option's own words say it.
    var expectation: String? {
        guard case .integer(let range, let unit) = self else { return nil }
        return "a whole number from \(range.lowerBound) to \(range.upperBound)\(unit.isEmpty ? "" : " (\(unit))")"
    }
}
