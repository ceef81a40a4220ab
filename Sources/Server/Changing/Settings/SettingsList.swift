/// The settings that were changed over HTTP, as `apus settings` shows them.
public struct SettingsList: Sendable {
    private let settings: [OverlaidSetting]
    private let problem: String?

    /// - Parameter problem: why they would not survive a restart; `nil` if they would.
    init(_ settings: [OverlaidSetting], problem: String? = nil) {
        (self.settings, self.problem) = (settings, problem)
    }

    /// One line for each, and one for a problem.
    public var lines: [String] {
        let lines = settings.map(\.description)
        return (lines.isEmpty ? ["no setting was changed over HTTP"] : lines)
            + (problem.map { ["these settings are lost at the next start: \($0)"] } ?? [])
    }

    /// Those that apply, as lines for the configuration file.
    public var configurationLines: [String] {
        let applied = settings.filter(\.isApplied)
        guard !applied.isEmpty else { return ["# no setting that was changed over HTTP is in use"] }
        var (lines, open) = (["paths:"], [String]())
        for setting in applied {
            let keys = [setting.path] + setting.key.split(separator: ".").map(String.init)
            let sections = Array(keys.dropLast())
            let common = zip(open, sections).prefix { $0 == $1 }.count
            for (depth, section) in sections.enumerated().dropFirst(common) {
                lines.append(blanks(2 * depth + 2) + "\(depth == 0 ? yamlKey(section) : section):")
            }
            lines.append(blanks(2 * keys.count) + "\(keys[keys.count - 1]): \(setting.value.yaml)")
            open = sections
        }
        return lines
    }

    /// The name of a path as a key. Names such as `1` and `null` are quoted.
    private func yamlKey(_ name: String) -> String {
        let isPlain =
            name.first?.isLetter == true
            && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
                .contains(name.lowercased())
        return isPlain ? name : quoted(name)
    }
}

extension SettingsList {
    /// The settings in a state folder, for when no server runs.
    ///
    /// - Parameter file: the configuration file; `nil` for the usual one.
    public init(in folder: StateFolder, configuration file: String?) throws {
        let configuration = try StatedConfiguration(of: file)
        let overlay = try SettingsFile.usable(in: folder)
        self.init(configuration.configuration.overlaid(by: overlay, stated: configuration.stated).settings)
    }

    /// Drops settings in a state folder, for when no server runs.
    ///
    /// - Parameters:
    ///   - name: the path; `nil` for all paths.
    ///   - keys: the settings; empty for all.
    public static func drop(of name: String?, _ keys: [String], in folder: StateFolder) throws {
        let remaining = try SettingsFile.usable(in: folder).dropping(of: name, keys)
        try SettingsFile(in: folder).keep { remaining }
    }
}
