/// Something about a camera that can be adjusted, as its driver describes it.
struct CameraControl: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case integer
        case boolean
        /// The names of its values.
        case menu([Int64: String])
        case button
        /// Of a kind that is shown and not set.
        case other
    }

    let id: UInt32
    /// As the driver has it: `Power Line Frequency`.
    let title: String
    let kind: Kind
    let range: ClosedRange<Int64>
    let step: Int64
    let usual: Int64
    let value: Int64
    let isReadOnly: Bool

    /// As the configuration has it: `power_line_frequency`, as v4l2-ctl writes it.
    var name: String { Self.name(of: title) }

    static func name(of title: String) -> String {
        let words = title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "_")
    }

    /// Why a text is no value of a control, in one sentence.
    struct InvalidValue: Error, Hashable, Sendable {
        let reason: String
    }

    /// The value that `text` stands for.
    func value(of text: String) throws(InvalidValue) -> Int64 {
        if isReadOnly { throw InvalidValue(reason: "\(name) can only be read") }
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
        case .other: throw InvalidValue(reason: "\(name) is of a kind that cannot be set")
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
