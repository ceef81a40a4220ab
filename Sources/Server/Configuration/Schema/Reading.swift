import Yams

/// The full name of an option: `paths.cam.video.width`.
struct OptionPath: Hashable {
    let text: String

    static let root = Self(text: "")

    static func + (path: Self, key: String) -> Self {
        Self(text: path.text.isEmpty ? key : "\(path.text).\(key)")
    }
}

/// What one reading of a configuration has found: problems, and the position of each option.
struct Reading {
    private(set) var problems: [ConfigurationProblem] = []
    /// Names of earlier releases that were used: no problem, because they still work.
    private(set) var formerNames: [ConfigurationProblem] = []
    /// Of all options that were read. An option that does not come from a text has no position.
    private var positions: [OptionPath: ConfigurationProblem.Position?] = [:]

    /// Enough to correct a file; a longer list is not read.
    private static let maximumProblems = 50

    /// Notes a problem with the option that `node` sets.
    mutating func note(_ message: String, at node: Node, _ path: OptionPath) {
        note(message, at: node.position, path)
    }

    /// Notes a problem with an option that was read before, or that the file does not set.
    mutating func note(_ message: String, with path: OptionPath) {
        note(message, at: positions[path] ?? nil, path)
    }

    private mutating func note(_ message: String, at position: ConfigurationProblem.Position?, _ path: OptionPath) {
        guard problems.count < Self.maximumProblems else { return }
        problems.append(ConfigurationProblem(position: position, option: path.text, message: message))
    }

    /// Notes that an option is written with a name of an earlier release.
    mutating func noteFormerName(_ message: String, at node: Node, _ path: OptionPath) {
        guard formerNames.count < Self.maximumProblems else { return }
        formerNames.append(ConfigurationProblem(position: node.position, option: path.text, message: message))
    }

    /// Records the position of an option that is read.
    mutating func remember(_ path: OptionPath, at node: Node) {
        positions.updateValue(node.position, forKey: path)
    }

    /// The position of each option that the text sets.
    var options: [OptionPath: ConfigurationProblem.Position?] { positions }

    /// Whether the text sets the option, even to the value that it had before.
    func hasRead(_ path: OptionPath) -> Bool { positions.keys.contains(path) }

    /// The key in `node`. If it is not a short text, notes that and returns `nil`.
    mutating func key(_ node: Node, at path: OptionPath) -> String? {
        // The longest are the names of paths.
        guard case .scalar(let scalar) = node, scalar.string.utf8.count <= 200, scalar.anchor == nil else {
            note("a key is a short word, not \(node.kind)", at: node, path)
            return nil
        }
        return scalar.string
    }

    /// Whether `node` has an anchor, which is noted: one anchored list, repeated inside others, could stand for billions of values.
    mutating func refusesAnchor(of node: Node, at path: OptionPath) -> Bool {
        guard node.anchor != nil else { return false }
        note("anchors and aliases are not supported: write the value out", at: node, path)
        return true
    }
}

extension Node {
    fileprivate var position: ConfigurationProblem.Position? {
        mark.map { .init(line: $0.line, column: $0.column) }
    }

    /// Whether it is YAML's null, written or left out.
    var isNothing: Bool {
        guard case .scalar(let scalar) = self, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// What the node is, for messages.
    var kind: String {
        switch self {
        case .mapping: "options"
        case .sequence: "a list"
        case .alias: "an alias"
        case .scalar(let scalar) where isNothing: scalar.string.isEmpty ? "nothing" : "null"
        case .scalar(let scalar): "`\(printable(String(scalar.string.prefix(64))))`"
        }
    }

    /// The same for a value that may be secret, so that messages do not repeat it.
    var kindWithoutText: String {
        guard case .scalar = self, !isNothing else { return kind }
        return "this text"
    }
}
