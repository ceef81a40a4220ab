/// What `apus check` finds in a configuration that can be read: options that cannot work on this host, or that have no effect, and
/// where each value comes from.
public struct ConfigurationReview: Sendable {
    /// With the settings that were changed over HTTP.
    public let configuration: Configuration
    /// The file of the configuration; `nil` for the defaults.
    public let file: String?
    /// Options that cannot work on this host as it is now. `apus serve` starts nevertheless, because a disk may be mounted later.
    public let errors: [ConfigurationProblem]
    /// Options that have no effect, and names of earlier releases.
    public let warnings: [ConfigurationProblem]
    private let stated: StatedOptions
    private let settings: [OverlaidSetting]

    /// Reads `file`, or the first of the usual files if it is `nil`, and compares it with the files and the addresses of this host.
    ///
    /// - Parameters:
    ///   - opensSources: whether each source is opened as well, for at most `SourceTest.usualMilliseconds` each.
    ///   - stateFolder: where the settings are that were changed over HTTP; `nil` for none.
    /// - Throws: all mistakes in the text.
    public init(
        of file: String?, opensSources: Bool, stateFolder: StateFolder? = nil
    ) throws(ConfigurationFailure) {
        var reading = Reading()
        let (written, found) = try Configuration.load(file, noting: &reading)
        self.file = found
        stated = StatedOptions(reading)
        var unusable: [ConfigurationProblem] = []
        let overlay = stateFolder.map { Self.overlay(in: $0, &unusable) } ?? SettingsOverlay()
        (configuration, settings) = written.overlaid(by: overlay, stated: stated)
        var (errors, warnings) = (reading, reading)
        configuration.noteHost(in: &errors)
        if opensSources { configuration.noteSources(in: &errors) }
        configuration.noteUnused(in: &warnings)
        self.errors = errors.problems + unusable
        self.warnings = reading.formerNames + warnings.problems
    }

    private static func overlay(in folder: StateFolder, _ problems: inout [ConfigurationProblem]) -> SettingsOverlay {
        do throws(SettingsFile.Failure) {
            return try SettingsFile.usable(in: folder)
        } catch {
            let sentence = "\(error)".replacing("\n", with: "; ")
            problems.append(
                ConfigurationProblem(
                    position: nil, option: "",
                    message: "the settings changed over HTTP are not used: \(sentence)"))
            return SettingsOverlay()
        }
    }

    /// The settings that were changed over HTTP, one line each; empty if there are none.
    public var settingsText: String {
        settings.map { "changed over HTTP: \($0.description)\n" }.joined()
    }

    /// Every option with its value and where it comes from, one line each. Passwords are left out.
    public var valuesText: String {
        let changed = Dictionary(uniqueKeysWithValues: settings.filter(\.isApplied).map { ($0.option, $0) })
        return Schema.configuration.values(in: configuration, at: .root).map { value in
            let origin =
                changed[value.option] != nil
                ? "settings.yml"
                : stated.position(of: value.option).map { "\(file ?? ""):\($0.line)" } ?? "default"
            return "\(printable(value.option.text)): \(value.text)  (\(origin))\n"
        }.joined()
    }

    /// The errors and the warnings, one line each, as compilers write them; empty if there are none.
    public var text: String {
        let marked = warnings.map {
            ConfigurationProblem(position: $0.position, option: $0.option, message: "warning: \($0.message)")
        }
        let problems = errors + marked
        guard !problems.isEmpty else { return "" }
        return ConfigurationFailure(file: file ?? "defaults", problems: problems).description + "\n"
    }
}
