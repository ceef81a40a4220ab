/// What `apus check` finds in a configuration that can be read: what cannot work on this host, and what has no effect.
public struct ConfigurationReview: Sendable {
    public let configuration: Configuration
    /// The file that it came from; `nil` for the defaults.
    public let file: String?
    /// What cannot work on this host as it is now. It does not keep `apus serve` from starting: a disk may be mounted later.
    public let errors: [ConfigurationProblem]
    /// What has no effect.
    public let warnings: [ConfigurationProblem]

    /// Reads `file`, or the first of the usual files if it is `nil`, and looks at the file system and the addresses of this host.
    ///
    /// - Parameter opensSources: whether each source is opened, too: `SourceTest.usualMilliseconds` at most for each.
    /// - Throws: all that is wrong with the text.
    public init(of file: String?, opensSources: Bool) throws(ConfigurationFailure) {
        var reading = Reading()
        (configuration, self.file) = try Configuration.load(file, noting: &reading)
        var (errors, warnings) = (reading, reading)
        configuration.noteHost(in: &errors)
        if opensSources { configuration.noteSources(in: &errors) }
        configuration.noteUnused(in: &warnings)
        self.errors = errors.problems
        self.warnings = warnings.problems
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
