import Yams

/// Sections of one kind below names that the user chooses, such as `paths` and `users`.
struct NamedSections<Section, Inner> {
    let key: String
    let member: WritableKeyPath<Section, [String: Inner]>
    let schema: Schema<Inner>
    let makeDefault: () -> Inner
    /// What names are valid, as the end of a sentence.
    let expectation: String
    let isValid: (String) -> Bool
    let maximumCount: Int
    /// The name of a section that the reference file shows as a comment if the default has none.
    var example: String?
    let reason: String

    var entry: Entry<Section> {
        Entry(
            key: key, read: read, content: .options(.init(reference: reference, changes: changes, values: values)))
    }

    private func read(_ node: Node, at path: OptionPath, into section: inout Section, noting reading: inout Reading) {
        if node.isNothing { return }
        guard case .mapping(let mapping) = node, mapping.count <= maximumCount else {
            return reading.note(
                "expects at most \(maximumCount) names with options below each, not \(node.kind)", at: node, path)
        }
        for (nameNode, inner) in mapping {
            guard let (name, value) = read(nameNode, inner, at: path, noting: &reading) else { continue }
            section[keyPath: member][name] = value
        }
    }

    /// One name and its section; `nil` if the name cannot be used, which is noted.
    private func read(
        _ nameNode: Node, _ node: Node, at path: OptionPath, noting reading: inout Reading
    ) -> (String, Inner)? {
        guard let name = reading.key(nameNode, at: path) else { return nil }
        guard isValid(name) else {
            reading.note("a name is \(expectation)", at: nameNode, path + printable(name))
            return nil
        }
        guard !reading.refusesAnchor(of: node, at: path + name) else { return nil }
        reading.remember(path + name, at: nameNode)
        var inner = makeDefault()
        schema.read(node, at: path + name, into: &inner, noting: &reading)
        return (name, inner)
    }

    private func reference(_ section: Section, indent: Int) -> String {
        var sections = section[keyPath: member].sorted { $0.key < $1.key }.map { name, inner in
            blanks(indent + 2) + "\(name):\n" + schema.reference(inner, indent: indent + 4)
        }
        if sections.isEmpty, let example {
            let lines = "\(example):\n" + schema.reference(makeDefault(), indent: 2)
            sections = lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
                blanks(indent + 2) + ($0.isEmpty ? "#\n" : "# \($0)\n")
            }
            sections = [sections.joined()]
        }
        return comment("\(reason) A name is \(expectation).", indent: indent)
            + blanks(indent) + "\(key):\n" + sections.joined(separator: "\n")
    }

    private func values(in section: Section, at path: OptionPath) -> [OptionValue] {
        section[keyPath: member].sorted { $0.key < $1.key }.flatMap { schema.values(in: $1, at: path + $0) }
    }

    /// - Parameter effect: that of names which only one of the sections has.
    private func changes(
        from old: Section, to new: Section, at path: OptionPath, _ effect: OptionEffect
    ) -> [OptionChange] {
        let (old, new) = (old[keyPath: member], new[keyPath: member])
        return Set(old.keys).union(new.keys).sorted().flatMap { name in
            guard let before = old[name], let after = new[name] else {
                return [OptionChange(option: path + name, effect: effect)]
            }
            return schema.changes(from: before, to: after, at: path + name)
        }
    }
}
