import Streams
import Yams

/// The options of one section of the configuration: the decoder and the reference file in one table.
struct Schema<Section> {
    let entries: [Entry<Section>]

    init(_ entries: [Entry<Section>]) {
        self.entries = entries
    }

    /// Reads the options that `node` sets into `section`, and notes what is wrong.
    func read(_ node: Node, at path: OptionPath, into section: inout Section, noting reading: inout Reading) {
        // `server:` with nothing below it sets nothing.
        if node.isNothing { return }
        guard case .mapping(let mapping) = node else {
            return reading.note("expects options below it, not \(node.kind)", at: node, path)
        }
        for (keyNode, value) in mapping {
            read(keyNode, value, at: path, into: &section, noting: &reading)
        }
    }

    private func read(
        _ keyNode: Node, _ value: Node, at path: OptionPath, into section: inout Section, noting reading: inout Reading
    ) {
        guard let key = reading.key(keyNode, at: path) else { return }
        guard let entry = entries.first(where: { $0.key == key }) else {
            let names = entries.map(\.key)
            let hint = nearestName(to: key, among: names).map { "the nearest is `\($0)`" }
            return reading.note(
                "no such option; \(hint ?? "there are " + names.joined(separator: ", "))", at: keyNode,
                path + printable(key))
        }
        reading.remember(path + key, at: value)
        guard reading.refusesAnchor(of: value, at: path + key) == false else { return }
        entry.read(value, path + key, &section, &reading)
    }

    /// The options in which `new` differs from `old`, in the order of the reference file.
    func changes(from old: Section, to new: Section, at path: OptionPath) -> [OptionPath] {
        entries.flatMap { $0.changes(old, new, path + $0.key) }
    }

    /// The section as it stands in the reference file, with the values of `section`.
    func reference(_ section: Section, indent: Int) -> String {
        entries.map { $0.reference(section, indent) }.joined(separator: "\n")
    }
}

/// One key of a section: how its value is read, how the reference file shows it, and whether it has changed.
struct Entry<Section> {
    let key: String
    let read: (Node, OptionPath, inout Section, inout Reading) -> Void
    /// Comment and line of the option, each line ended, indented by so many blanks.
    let reference: (Section, Int) -> String
    /// The options at and below the key in which two sections differ.
    let changes: (Section, Section, OptionPath) -> [OptionPath]

    /// - Parameter changes: by default the option itself, where the reference file would show two values.
    init(
        key: String, read: @escaping (Node, OptionPath, inout Section, inout Reading) -> Void,
        reference: @escaping (Section, Int) -> String,
        changes: ((Section, Section, OptionPath) -> [OptionPath])? = nil
    ) {
        self.key = key
        self.read = read
        self.reference = reference
        self.changes = changes ?? { reference($0, 0) == reference($1, 0) ? [] : [$2] }
    }
}

/// The way to an option, for people: `paths.cam.video.width`.
struct OptionPath: Hashable {
    let text: String

    static let root = Self(text: "")

    static func + (path: Self, key: String) -> Self {
        Self(text: path.text.isEmpty ? key : "\(path.text).\(key)")
    }
}

/// What reading has found so far.
struct Reading {
    private(set) var problems: [ConfigurationProblem] = []
    /// Of all options that were read; without a position where they stand in no text.
    private var positions: [OptionPath: ConfigurationProblem.Position?] = [:]

    /// More problems than these help nobody.
    private static let maximumProblems = 50

    mutating func note(_ message: String, at node: Node, _ path: OptionPath) {
        note(message, at: node.mark.map { .init(line: $0.line, column: $0.column) }, path)
    }

    /// Notes a problem with an option that was read before, or with one that the file leaves to its default.
    mutating func note(_ message: String, with path: OptionPath) {
        note(message, at: positions[path] ?? nil, path)
    }

    private mutating func note(_ message: String, at position: ConfigurationProblem.Position?, _ path: OptionPath) {
        guard problems.count < Self.maximumProblems else { return }
        problems.append(ConfigurationProblem(position: position, option: path.text, message: message))
    }

    mutating func remember(_ path: OptionPath, at node: Node) {
        positions.updateValue(node.mark.map { .init(line: $0.line, column: $0.column) }, forKey: path)
    }

    /// Whether the option was set, be it to what it was before.
    func hasRead(_ path: OptionPath) -> Bool { positions.keys.contains(path) }

    /// The key in `node`; `nil`, and noted, where it is no short text.
    mutating func key(_ node: Node, at path: OptionPath) -> String? {
        guard case .scalar(let scalar) = node, scalar.string.utf8.count <= 128, scalar.anchor == nil else {
            note("a key is a short word, not \(node.kind)", at: node, path)
            return nil
        }
        return scalar.string
    }

    /// Whether `node` is anchored: one anchored list, repeated inside others, could stand for billions of values.
    mutating func refusesAnchor(of node: Node, at path: OptionPath) -> Bool {
        guard node.anchor != nil else { return false }
        note("anchors and aliases are not supported: write the value out", at: node, path)
        return true
    }
}

extension Node {
    /// Whether it is YAML's null, written or left out.
    var isNothing: Bool {
        guard case .scalar(let scalar) = self, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// What it is, for people.
    var kind: String {
        switch self {
        case .mapping: "options"
        case .sequence: "a list"
        case .alias: "an alias"
        case .scalar(let scalar) where isNothing: scalar.string.isEmpty ? "nothing" : "null"
        case .scalar(let scalar): "`\(printable(String(scalar.string.prefix(64))))`"
        }
    }
}
