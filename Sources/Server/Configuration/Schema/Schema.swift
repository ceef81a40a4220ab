import Yams

/// The options of one section of the configuration. The decoder, the reference file and the difference between two
/// configurations are made from this table.
struct Schema<Section> {
    let entries: [Entry<Section>]

    /// - Parameter effect: that of each option that does not state its own.
    private init(_ entries: [Entry<Section>], takingEffect effect: OptionEffect) {
        self.entries = entries.map { $0.effect == nil ? $0.takingEffect(effect) : $0 }
    }

    // The options of a section, named after the effect of those that do not state their own (`Entry.takingEffect`). There is no
    // other way to make a schema, so every option has an effect.

    static func live(_ entries: [Entry<Section>]) -> Self { Self(entries, takingEffect: .live) }
    static func encoding(_ entries: [Entry<Section>]) -> Self { Self(entries, takingEffect: .encoding) }
    static func source(_ entries: [Entry<Section>]) -> Self { Self(entries, takingEffect: .source) }
    static func serverRestart(_ entries: [Entry<Section>]) -> Self { Self(entries, takingEffect: .serverRestart) }

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

    /// The section as it appears in the reference file, with the values of `section`.
    func reference(_ section: Section, indent: Int) -> String {
        entries.map { $0.reference(section, indent) }.joined(separator: "\n")
    }
}

/// One key of a section: how its value is read, how the reference file shows it, and whether it has changed.
struct Entry<Section> {
    let key: String
    /// Keys of earlier releases. They still work, and `apus check` names the present key.
    private(set) var formerKeys: [String] = []
    /// Abbreviations that work as well.
    private(set) var shortKeys: [String] = []
    /// The keys one level below, as `video.width`, if the entry is a section.
    var innerKeys: [String] = []
    let read: (Node, OptionPath, inout Section, inout Reading) -> Void
    /// Comment and line of the option, indented by this number of spaces. Each line ends with a line feed.
    let reference: (Section, Int) -> String
    /// When a change takes effect; `nil` until the entry is part of a schema.
    private(set) var effect: OptionEffect?
    /// The options below the key in which two sections differ; `nil` if the entry is an option itself.
    private let innerChanges: InnerChanges?

    typealias InnerChanges = (Section, Section, OptionPath, OptionEffect) -> [OptionChange]

    /// - Parameter innerChanges: the options below the key in which two sections differ, if there are options below it. Names
    ///   that only one of the sections has are changes with the effect of the entry.
    init(
        key: String, read: @escaping (Node, OptionPath, inout Section, inout Reading) -> Void,
        reference: @escaping (Section, Int) -> String,
        innerChanges: InnerChanges? = nil
    ) {
        self.key = key
        self.read = read
        self.reference = reference
        self.innerChanges = innerChanges
    }

    /// The options at and below the key in which two sections differ: the option itself, if its two values differ in the
    /// reference file.
    func changes(from old: Section, to new: Section, at path: OptionPath) -> [OptionChange] {
        guard let effect else { preconditionFailure("an entry has an effect once it is part of a schema") }
        if let innerChanges { return innerChanges(old, new, path, effect) }
        return reference(old, 0) == reference(new, 0) ? [] : [OptionChange(option: path, effect: effect)]
    }

    /// The same entry, with an effect other than that of its schema.
    func takingEffect(_ effect: OptionEffect) -> Self {
        var entry = self
        entry.effect = effect
        return entry
    }

    /// The same entry, which also accepts keys of earlier releases.
    func formerly(_ keys: String...) -> Self {
        var entry = self
        entry.formerKeys = keys
        return entry
    }

    /// The same entry, which also accepts abbreviations of its key.
    func short(_ keys: String...) -> Self {
        var entry = self
        entry.shortKeys = keys
        return entry
    }
}
