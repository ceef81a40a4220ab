/// An adjustable control of a camera, as its driver describes it.
struct CameraControl: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case integer
        case boolean
        /// The names of the values.
        case menu([Int64: String])
        case button
        /// A kind that can be shown but not set.
        case other
    }

    let id: UInt32
    /// The driver's name: `Power Line Frequency`.
    let title: String
    let kind: Kind
    let range: ClosedRange<Int64>
    let step: Int64
    let defaultValue: Int64
    let value: Int64
    let isReadOnly: Bool

    /// The name in the configuration, in the notation of v4l2-ctl: `power_line_frequency`.
    var name: String { Self.name(of: title) }

    static func name(of title: String) -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "_")
    }

    /// Why a text is not a valid value of a control, as one sentence.
    struct InvalidValue: Error, Hashable, Sendable {
        let reason: String
    }

    /// The value that `text` represents.
    func value(of text: String) throws(InvalidValue) -> Int64 {
        if isReadOnly { throw InvalidValue(reason: "\(name) is read-only") }
        switch kind {
        case .boolean:
            guard let value = Self.truths[text.lowercased()] else { throw expects("true or false", text) }
            return value
        case .menu(let entries):
            let byName = entries.first { Self.name(of: $0.value) == Self.name(of: text) }?.key
            guard let value = Int64(text).flatMap({ entries[$0] == nil ? nil : $0 }) ?? byName else {
                throw expects("one of " + menuText(entries), text)
            }
            return value
        case .integer:
            guard let value = Int64(text), range.contains(value) else {
                throw expects("a whole number from \(range.lowerBound) to \(range.upperBound)", text)
            }
            return value
        case .button: return 1
        case .other: throw InvalidValue(reason: "\(name) has a type that cannot be set")
        }
    }

    private static let truths: [String: Int64] = [
        "true": 1, "yes": 1, "on": 1, "1": 1, "false": 0, "no": 0, "off": 0, "0": 0,
    ]

    private func expects(_ what: String, _ text: String) -> InvalidValue {
        InvalidValue(reason: "\(name) expects \(what), not \(text)")
    }

    private func menuText(_ entries: [Int64: String]) -> String {
        entries.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
    }
}
