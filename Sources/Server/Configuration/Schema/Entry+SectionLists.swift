import Yams

extension Entry {
    /// A list of sections of one kind. A single section stands for a list of one, and a text for a section with only `shortKey`.
    ///
    /// - Parameters:
    ///   - shortKey: the option that each section must set.
    ///   - item: what an element is, in the singular.
    static func sections<Inner: Equatable>(
        _ key: String, _ member: WritableKeyPath<Section, [Inner]>, _ schema: Schema<Inner>,
        makeDefault: @escaping () -> Inner, shortKey: String, atMost maximumCount: Int, item: String, _ reason: String
    ) -> Self {
        let expectation = "a list of at most \(maximumCount), each \(item)"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                let nodes: [Node]
                switch node {
                case .sequence(let sequence) where sequence.count <= maximumCount: nodes = Array(sequence)
                case .mapping: nodes = [node]
                case .scalar where !node.isNothing: nodes = [node]
                // A list is not repeated in the message: it may contain passwords.
                default: return reading.note("expects \(expectation)", at: node, path)
                }
                section[keyPath: member] = nodes.enumerated().compactMap { index, node in
                    let path = nodes.count == 1 ? path : path + "\(index + 1)"
                    guard !reading.refusesAnchor(of: node, at: path) else { return nil }
                    var whole = node
                    if case .scalar = node, !node.isNothing { whole = Node([(Node(shortKey), node)]) }
                    var inner = makeDefault()
                    schema.read(whole, at: path, into: &inner, noting: &reading)
                    guard reading.hasRead(path + shortKey) else {
                        reading.note("needs a `\(shortKey)`", at: node, path)
                        return nil
                    }
                    return inner
                }
            },
            content: .options(
                InnerOptions(
                    reference: { section, indent in
                        comment("\(reason) Expects \(expectation); the default is [].", indent: indent)
                            + comment(OptionEffect.live.sentence, indent: indent)
                            + reference(section[keyPath: member], key, schema, makeDefault(), indent: indent)
                    },
                    changes: { old, new, path, effect in
                        old[keyPath: member] == new[keyPath: member] ? [] : [OptionChange(option: path, effect: effect)]
                    },
                    values: { section, path in
                        let list = section[keyPath: member]
                        guard !list.isEmpty else { return [OptionValue(option: path, text: "[]")] }
                        return list.enumerated().flatMap { schema.values(in: $1, at: path + "\($0 + 1)") }
                    })))
    }

    /// The lines of a list. The options of an element of an empty one are shown as a comment.
    private static func reference<Inner>(
        _ list: [Inner], _ key: String, _ schema: Schema<Inner>, _ example: Inner, indent: Int
    ) -> String {
        guard list.isEmpty else {
            let elements = list.map { blanks(indent + 2) + "-\n" + schema.reference($0, indent: indent + 4) }
            return blanks(indent) + "\(key):\n" + elements.joined()
        }
        let options = schema.reference(example, indent: 4).split(separator: "\n", omittingEmptySubsequences: false)
        let lines = ["  -"] + options.dropLast().map(String.init)
        return blanks(indent) + "\(key): []\n"
            + lines.map { blanks(indent) + ($0.isEmpty ? "#\n" : "# \($0)\n") }.joined()
    }
}
