import Yams

/// The options of one section of the configuration. The decoder, the reference file and the difference between two
/// configurations are made from this table.
struct Schema<Section> {
    let entries: [Entry<Section>]

    /// There is no other way to make a schema, so every option has an effect.
    ///
    /// - Parameter effect: that of each option that does not state its own (`Entry.takingEffect`).
    init(takingEffect effect: OptionEffect, _ entries: Entry<Section>...) {
        self.entries = entries.map { $0.effect == nil ? $0.takingEffect(effect) : $0 }
    }

    /// Reads the options that `node` sets into `section`, and notes what is wrong.
    func read(_ node: Node, at path: OptionPath, into section: inout Section, noting reading: inout Reading) {
        // `server:` with nothing below it sets nothing.
        if node.isNothing { return }
        guard case .mapping(let mapping) = node else {
            return reading.note("expects options below it, not \(node.kind)", at: node, path)
        }
        var writtenKeys: [String: String] = [:]
        for (keyNode, value) in mapping {
            guard let key = reading.key(keyNode, at: path), let entry = entry(for: key, keyNode, at: path, &reading)
            else { continue }
            if let other = writtenKeys.updateValue(key, forKey: entry.key) {
                reading.note(
                    "`\(other)` and `\(key)` are two names of the same option; remove one", at: keyNode,
                    path + entry.key)
            }
            read(value, into: &section, by: entry, at: path + entry.key, noting: &reading)
        }
    }

    /// The entry with this key, former key or short key. If there is none, notes that.
    private func entry(
        for key: String, _ node: Node, at path: OptionPath, _ reading: inout Reading
    ) -> Entry<Section>? {
        if let entry = entries.first(where: { $0.key == key || $0.shortKeys.contains(key) }) { return entry }
        if let entry = entries.first(where: { $0.formerKeys.contains(key) }) {
            reading.noteFormerName("is called `\(entry.key)` now; the old name still works", at: node, path + key)
            return entry
        }
        let names = entries.map(\.key)
        let hint = suggestion(for: key, among: names, orBelow: entries.flatMap(\.innerKeys))
        reading.note(
            "no such option; \(hint.map { "did you mean `\($0)`?" } ?? "the options here are " + names.joined(separator: ", "))",
            at: node, path + printable(key))
        return nil
    }

    private func read(
        _ value: Node, into section: inout Section, by entry: Entry<Section>, at path: OptionPath,
        noting reading: inout Reading
    ) {
        reading.remember(path, at: value)
        guard reading.refusesAnchor(of: value, at: path) == false else { return }
        entry.read(value, path, &section, &reading)
    }

    /// The options in which `new` differs from `old`, in the order of the reference file.
    func changes(from old: Section, to new: Section, at path: OptionPath) -> [OptionChange] {
        entries.flatMap { $0.changes(from: old, to: new, at: path + $0.key) }
    }

    /// All options with their values in `section`, in the order of the reference file.
    func values(in section: Section, at path: OptionPath) -> [OptionValue] {
        entries.flatMap { $0.values(in: section, at: path + $0.key) }
    }

    /// The options that may be changed over HTTP, in the order of the reference file.
    func settings(at path: OptionPath) -> [Setting<Section>] {
        entries.flatMap { $0.settings(at: path + $0.key) }
    }

    /// The section as it appears in the reference file, with the values of `section`.
    func reference(_ section: Section, indent: Int) -> String {
        entries.map { $0.reference(section, indent: indent) }.joined(separator: "\n")
    }
}
