import Yams

// Values that hold other options: sections, and maps of named sections.

extension Entry {
    /// At most 64 texts by name. The camera's driver defines the names, so they are not checked.
    static func texts(_ key: String, _ member: WritableKeyPath<Section, [String: String]>, _ reason: String) -> Self {
        let expectation = "names with a value each, such as { brightness: 128 }"
        return Entry(
            key: key,
            read: { node, path, section, reading in
                guard case .mapping(let mapping) = node, mapping.count <= 64 else {
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
            },
            reference: { section, indent in
                let pairs = section[keyPath: member].sorted { $0.key < $1.key }.map { "\(quoted($0)): \(quoted($1))" }
                let value = pairs.isEmpty ? "{}" : "{ \(pairs.joined(separator: ", ")) }"
                return optionLines(key, value: value, expecting: expectation, reason, indent: indent)
            })
    }

    /// Options below a key.
    static func section<Inner>(
        _ key: String, _ member: WritableKeyPath<Section, Inner>, _ schema: Schema<Inner>, reason: String
    ) -> Self {
        var entry = Self(
            key: key,
            read: { node, path, section, reading in
                schema.read(node, at: path, into: &section[keyPath: member], noting: &reading)
            },
            reference: { section, indent in
                comment(reason, indent: indent) + blanks(indent) + "\(key):\n"
                    + schema.reference(section[keyPath: member], indent: indent + 2)
            },
            innerChanges: { old, new, path, _ in
                schema.changes(from: old[keyPath: member], to: new[keyPath: member], at: path)
            })
        entry.innerKeys = schema.entries.map { "\(key).\($0.key)" }
        return entry
    }

    /// Sections below names that the user chooses.
    ///
    /// - Parameter example: the name of a section that the reference file shows as a comment if the default has none.
    static func named<Inner>(
        _ key: String, _ member: WritableKeyPath<Section, [String: Inner]>, _ schema: Schema<Inner>,
        default makeDefault: @escaping () -> Inner, expecting expectation: String, atMost count: Int,
        example: String? = nil, _ reason: String, isValid: @escaping (String) -> Bool
    ) -> Self {
        let readName = { (nameNode: Node, node: Node, path: OptionPath, reading: inout Reading) -> (String, Inner)? in
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
        return Entry(
            key: key,
            read: { node, path, section, reading in
                if node.isNothing { return }
                guard case .mapping(let mapping) = node, mapping.count <= count else {
                    return reading.note(
                        "expects at most \(count) names with options below each, not \(node.kind)", at: node, path)
                }
                for (nameNode, inner) in mapping {
                    guard let (name, value) = readName(nameNode, inner, path, &reading) else { continue }
                    section[keyPath: member][name] = value
                }
            },
            reference: { section, indent in
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
            },
            innerChanges: { old, new, path, effect in
                let (old, new) = (old[keyPath: member], new[keyPath: member])
                return Set(old.keys).union(new.keys).sorted().flatMap { name in
                    guard let before = old[name], let after = new[name] else {
                        return [OptionChange(option: path + name, effect: effect)]
                    }
                    return schema.changes(from: before, to: after, at: path + name)
                }
            })
    }
}
