/// What `apus check` finds in a configuration that can be read: options that cannot work on this host, or that have no effect.
public struct ConfigurationReview: Sendable {
    public let configuration: Configuration
    /// The file of the configuration; `nil` for the defaults.
    public let file: String?
    /// Options that cannot work on this host as it is now. `apus serve` starts nevertheless, because a disk may be mounted later.
    public let errors: [ConfigurationProblem]
    /// Options that have no effect, and names of earlier releases.
    public let warnings: [ConfigurationProblem]

    /// Reads `file`, or the first of the usual files if it is `nil`, and compares it with the files and the addresses of this host.
    ///
    /// - Parameter opensSources: whether each source is opened as well, for at most `SourceTest.usualMilliseconds` each.
    /// - Throws: all mistakes in the text.
    public init(of file: String?, opensSources: Bool) throws(ConfigurationFailure) {
        var reading = Reading()
        (configuration, self.file) = try Configuration.load(file, noting: &reading)
        var (errors, warnings) = (reading, reading)
        configuration.noteHost(in: &errors)
        if opensSources { configuration.noteSources(in: &errors) }
        configuration.noteUnused(in: &warnings)
        self.errors = errors.problems
        self.warnings = reading.formerNames + warnings.problems
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
