import Yams

extension SettingsOverlay {
    /// A server with a thousand paths has less.
    static let maximumByteCount = Configuration.maximumFileBytes

    /// Reads the text of `settings.yml`. Keys and values are not checked: whether an entry can be used depends on the configuration.
    init(yaml: String, file: String) throws(ConfigurationFailure) {
        guard yaml.utf8.count <= Self.maximumByteCount else {
            throw ConfigurationFailure(file: file, message: "is longer than \(Self.maximumByteCount) bytes")
        }
        var (reading, overlay) = (Reading(), Self())
        try Configuration.withDocument(yaml, file: file) { overlay.read($0, noting: &reading) }
        guard reading.problems.isEmpty else { throw ConfigurationFailure(file: file, problems: reading.problems) }
        self = overlay
    }

    private mutating func read(_ root: Node, noting reading: inout Reading) {
        for (key, paths) in Self.names(in: root, at: .root, &reading) {
            guard key == "paths" else {
                reading.note("expects `paths` only", at: paths, .root + printable(key))
                continue
            }
            for (path, settings) in Self.names(in: paths, at: .root + key, &reading) {
                let option = .root + key + printable(path)
                for (setting, entry) in Self.names(in: settings, at: option, &reading) {
                    self[path, setting] = Self.entry(entry, at: option + printable(setting), &reading)
                }
            }
        }
    }

    private static func entry(_ node: Node, at option: OptionPath, _ reading: inout Reading) -> Entry? {
        var values: [String: SettingValue] = [:]
        let problemCount = reading.problems.count
        for (key, node) in names(in: node, at: option, &reading) {
            guard key == "value" || key == "insteadOf", let value = SettingValue(node) else {
                reading.note("expects { value: …, insteadOf: … }", at: node, option)
                return nil
            }
            values[key] = value
        }
        guard let value = values["value"] else {
            if reading.problems.count == problemCount { reading.note("expects a `value`", at: node, option) }
            return nil
        }
        return Entry(value: value, insteadOf: values["insteadOf"])
    }

    /// The values below a node, by name; none if it is not a map, which is noted.
    private static func names(in node: Node, at option: OptionPath, _ reading: inout Reading) -> [(String, Node)] {
        if node.isNothing { return [] }
        guard case .mapping(let mapping) = node, node.anchor == nil else {
            reading.note("expects names with values, not \(node.kind)", at: node, option)
            return []
        }
        return mapping.compactMap { key, value in
            guard let key = reading.key(key, at: option) else { return nil }
            return (key, value)
        }
    }
}
