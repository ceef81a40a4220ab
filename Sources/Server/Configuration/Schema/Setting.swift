import Yams

/// An option that may be changed over HTTP. ``Configuration/Path/settings`` has all of them.
struct Setting<Section> {
    /// Its name below the section: `video.bitrate`.
    let key: String
    let type: SettingType
    /// The values that it takes, as the end of a sentence.
    let expectation: String
    /// Why a user would change it.
    let reason: String
    let effect: OptionEffect
    /// Its value in a section, always in the same form.
    let value: (Section) -> SettingValue
    /// Gives it in the second section the value that it has in the first.
    let copy: (Section, inout Section) -> Void
    private let read: (Node, inout Section, inout Reading) -> Void

    init(
        _ path: OptionPath, _ form: OptionForm<Section>, _ text: OptionText<Section>, effect: OptionEffect,
        read: @escaping (Node, OptionPath, inout Section, inout Reading) -> Void
    ) {
        key = path.text
        type = form.type
        (expectation, reason) = (text.expectation, text.reason)
        self.effect = effect
        (value, copy) = (form.value, form.copy)
        self.read = { node, section, reading in
            reading.remember(path, at: node)
            read(node, path, &section, &reading)
        }
    }

    private init<Inner>(_ inner: Setting<Inner>, below member: WritableKeyPath<Section, Inner>) {
        (key, type, expectation, reason) = (inner.key, inner.type, inner.expectation, inner.reason)
        effect = inner.effect
        value = { inner.value($0[keyPath: member]) }
        copy = { inner.copy($0[keyPath: member], &$1[keyPath: member]) }
        read = { inner.read($0, &$1[keyPath: member], &$2) }
    }

    /// The same setting of a section that contains this one's.
    func below<Outer>(_ member: WritableKeyPath<Outer, Section>) -> Setting<Outer> {
        Setting<Outer>(self, below: member)
    }

    /// Gives it this value in `section`, or notes why it cannot have it. Names of a map that `value` does not contain stay.
    func set(_ value: SettingValue, in section: inout Section, noting reading: inout Reading) {
        guard type.accepts(value) else {
            return reading.note(
                "expects \(type.expectation ?? expectation), not \(value.kind)", with: OptionPath(text: key))
        }
        read(value.node, &section, &reading)
    }
}

extension Configuration.Path {
    /// All settings: the options of a path that may be changed over HTTP, in the order of the reference file.
    static var settings: [Setting<Self>] { Schema.path.settings(at: .root) }

    /// All settings by name.
    static var settingTable: [String: Setting<Self>] {
        Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })
    }
}
