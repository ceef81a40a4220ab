import Yams

/// The value of a setting, as JSON and YAML contain it.
public enum SettingValue: Hashable, Sendable {
    case number(Int)
    case flag(Bool)
    case text(String)
    case list([SettingValue])
    case map([String: SettingValue])
}

// MARK: - JSON

extension SettingValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([SettingValue].self) {
            self = .list(list)
        } else {
            self = .map(try container.decode([String: SettingValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .map(let map): try container.encode(map)
        }
    }
}

// MARK: - YAML

extension SettingValue {
    /// No setting has a value that is nested more deeply than a list of lists.
    private static let maximumDepth = 3

    /// `nil` for null, anchors, and values that are nested too deeply.
    init?(_ node: Node, depth: Int = 1) {
        guard depth <= Self.maximumDepth, node.anchor == nil else { return nil }
        switch node {
        case .scalar(let scalar):
            guard scalar.style == .plain else {
                self = .text(scalar.string)
                return
            }
            if node.isNothing { return nil }
            switch scalar.string {
            case "true": self = .flag(true)
            case "false": self = .flag(false)
            case let text: self = Int(text).map { .number($0) } ?? .text(text)
            }
        case .sequence(let sequence):
            let values = sequence.compactMap { Self($0, depth: depth + 1) }
            guard values.count == sequence.count else { return nil }
            self = .list(values)
        case .mapping(let mapping):
            var values: [String: SettingValue] = [:]
            for (key, value) in mapping {
                guard case .scalar(let name) = key, name.anchor == nil, let value = Self(value, depth: depth + 1) else {
                    return nil
                }
                values[name.string] = value
            }
            self = .map(values)
        case .alias: return nil
        }
    }

    var node: Node {
        switch self {
        case .number(let number): .scalar(Node.Scalar("\(number)", .implicit, .plain))
        case .flag(let flag): .scalar(Node.Scalar("\(flag)", .implicit, .plain))
        case .text(let text): .scalar(Node.Scalar(text, .implicit, .doubleQuoted))
        case .list(let list): Node(list.map(\.node))
        case .map(let map): Node(map.sorted { $0.key < $1.key }.map { (Node($0), $1.node) })
        }
    }

    /// On one line.
    var yaml: String {
        switch self {
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .text(let text): quoted(text)
        case .list(let list): "[\(list.map(\.yaml).joined(separator: ", "))]"
        case .map(let map):
            map.isEmpty
                ? "{}"
                : "{ \(map.sorted { $0.key < $1.key }.map { "\(quoted($0)): \($1.yaml)" }.joined(separator: ", ")) }"
        }
    }

    /// What it is, for messages.
    var kind: String {
        switch self {
        case .number(let number): "`\(number)`"
        case .flag(let flag): "`\(flag)`"
        case .text(let text): "the text `\(printable(String(text.prefix(64))))`"
        case .list: "a list"
        case .map: "names with values"
        }
    }
}
