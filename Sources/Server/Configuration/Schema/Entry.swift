import Yams

/// One key of a section: how its value is read, how the reference file shows it, and whether it has changed.
struct Entry<Section> {
    let key: String
    /// Keys of earlier releases. They still work, and `apus check` names the present key.
    private(set) var formerKeys: [String] = []
    /// Abbreviations that work as well.
    private(set) var shortKeys: [String] = []
    let read: (Node, OptionPath, inout Section, inout Reading) -> Void
    let content: Content
    /// The option as a value of a type; `nil` for options that only the configuration file and the control socket change.
    private let form: OptionForm<Section>?
    /// Whether it may be changed over HTTP.
    private(set) var isOverHTTP = false
    /// Whether its value is secret, so that no text for users shows it.
    private var isSecret = false
    /// When a change takes effect; `nil` until the entry is part of a schema.
    private(set) var effect: OptionEffect?

    /// What the key has in the file.
    enum Content {
        case option(OptionText<Section>)
        case options(InnerOptions)
    }

    /// Options below the key.
    struct InnerOptions {
        /// Their keys with that of the entry, as `video.width`, if they are known without a configuration.
        var keys: [String] = []
        /// Comment and lines in the reference file, indented by this number of spaces. Each line ends with a line feed.
        let reference: (Section, Int) -> String
        /// The options in which two sections differ. Names that only one of the sections has are changes with the effect of the
        /// entry.
        let changes: (Section, Section, OptionPath, OptionEffect) -> [OptionChange]
        /// All options with their values.
        let values: (Section, OptionPath) -> [OptionValue]
        /// Those that may be changed over HTTP.
        var settings: (OptionPath) -> [Setting<Section>] = { _ in [] }
    }

    init(
        key: String, read: @escaping (Node, OptionPath, inout Section, inout Reading) -> Void, content: Content,
        form: OptionForm<Section>? = nil
    ) {
        self.key = key
        self.read = read
        self.content = content
        self.form = form
    }

    /// The keys one level below; empty for an option.
    var innerKeys: [String] {
        switch content {
        case .option: []
        case .options(let inner): inner.keys
        }
    }

    private var knownEffect: OptionEffect {
        guard let effect else { preconditionFailure("an entry has an effect once it is part of a schema") }
        return effect
    }

    /// The options at and below the key in which two sections differ.
    func changes(from old: Section, to new: Section, at path: OptionPath) -> [OptionChange] {
        switch content {
        case .option(let option):
            option.value(old) == option.value(new) ? [] : [OptionChange(option: path, effect: knownEffect)]
        case .options(let inner): inner.changes(old, new, path, knownEffect)
        }
    }

    /// The options at and below the key with their values in `section`.
    func values(in section: Section, at path: OptionPath) -> [OptionValue] {
        switch content {
        case .option(let option):
            let text = option.value(section) ?? quoted("")
            let isHidden = isSecret && text != quoted("") && text != "[]"
            return [OptionValue(option: path, text: isHidden ? "…" : withoutCredentials(text))]
        case .options(let inner): return inner.values(section, path)
        }
    }

    /// The options at and below the key that may be changed over HTTP.
    func settings(at path: OptionPath) -> [Setting<Section>] {
        switch content {
        case .option(let option):
            guard isOverHTTP, let form else { return [] }
            return [Setting(path, form, option, effect: knownEffect, read: read)]
        case .options(let inner): return inner.settings(path)
        }
    }

    /// The key in the reference file, with the values of `section`, indented by this number of spaces.
    func reference(_ section: Section, indent: Int) -> String {
        switch content {
        case .option(let option): option.lines(key, section, knownEffect, isOverHTTP: isOverHTTP, indent: indent)
        case .options(let inner): inner.reference(section, indent)
        }
    }

    /// The same entry, with an effect other than that of its schema.
    func takingEffect(_ effect: OptionEffect) -> Self {
        var entry = self
        entry.effect = effect
        return entry
    }

    /// The same entry, which may be changed over HTTP.
    func overHTTP() -> Self {
        precondition(form != nil, "an option that may be changed over HTTP has a type")
        var entry = self
        entry.isOverHTTP = true
        return entry
    }

    /// The same entry, whose value no text for users shows.
    func secret() -> Self {
        var entry = self
        entry.isSecret = true
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
