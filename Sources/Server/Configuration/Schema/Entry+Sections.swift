import Yams

// Values that hold other options: sections, and maps of named sections.

extension Entry {
    /// At most 64 texts by name. The camera's driver defines the names, so they are not checked.
    static func texts(_ key: String, _ member: WritableKeyPath<Section, [String: String]>, _ reason: String) -> Self {
        let maximumCount = 64
        let expectation = "names with a value each, such as { brightness: 128 }"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .mapping(let mapping) = node, mapping.count <= maximumCount else {
                    if !node.isNothing { reading.note("expects \(expectation), not \(node.kind)", at: node, path) }
                    return
                }
                for (nameNode, value) in mapping {
                    guard let name = reading.key(nameNode, at: path) else { continue }
                    // Logs contain it.
                    guard isLine(name, maximumBytes: 64) else {
                        reading.note("a name is one line of at most 64 bytes", at: nameNode, path + printable(name))
                        continue
                    }
                    guard case .scalar(let scalar) = value, !value.isNothing, scalar.anchor == nil,
                        isLine(scalar.string, maximumBytes: 64)
                    else {
                        reading.note("expects one value, not \(value.kind)", at: value, path + printable(name))
                        continue
                    }
                    section[keyPath: member][name] = scalar.string
                }
                if section[keyPath: member].count > maximumCount {
                    reading.note("has more than \(maximumCount) names", at: node, path)
                }
            },
            content: .option(
                OptionText(expectation: expectation, reason: reason) { section in
                    let pairs = section[keyPath: member].sorted { $0.key < $1.key }
                    let texts = pairs.map { "\(quoted($0)): \(quoted($1))" }.joined(separator: ", ")
                    return pairs.isEmpty ? "{}" : "{ \(texts) }"
                }),
            form: OptionForm(.texts(maximumCount: maximumCount), member) { .map($0.mapValues { .text($0) }) })
    }

    /// Options below a key.
    static func section<Inner>(
        _ key: String, _ member: WritableKeyPath<Section, Inner>, _ schema: Schema<Inner>, reason: String
    ) -> Self {
        Self(
            key: key,
            read: { node, path, section, reading in
                schema.read(node, at: path, into: &section[keyPath: member], noting: &reading)
            },
            content: .options(
                InnerOptions(
                    keys: schema.entries.map { "\(key).\($0.key)" },
                    reference: { section, indent in
                        comment(reason, indent: indent) + blanks(indent) + "\(key):\n"
                            + schema.reference(section[keyPath: member], indent: indent + 2)
                    },
                    changes: { old, new, path, _ in
                        schema.changes(from: old[keyPath: member], to: new[keyPath: member], at: path)
                    },
                    values: { section, path in schema.values(in: section[keyPath: member], at: path) },
                    settings: { path in schema.settings(at: path).map { $0.below(member) } })))
    }
}
