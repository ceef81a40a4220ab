/// Which options the configuration file and the command line set. All others have their defaults.
public struct StatedOptions: Hashable, Sendable {
    /// By option; `nil` if the position in the file is not known.
    private var file: [OptionPath: ConfigurationProblem.Position?] = [:]
    private var commandLine: Set<OptionPath> = []

    /// No options.
    public init() {}

    /// The options that a file sets.
    init(_ reading: Reading) {
        file = reading.options
    }

    /// Notes that the command line sets an option: `paths.cam.title`. It overrides the file.
    public mutating func setByCommandLine(_ option: String) {
        commandLine.insert(OptionPath(text: option))
    }

    /// Notes that the command line has replaced all paths by sources at these paths.
    fileprivate mutating func pathsReplacedByCommandLine(_ names: some Sequence<String>) {
        file = file.filter { !$0.key.text.hasPrefix("paths.") }
        for name in names { setByCommandLine("paths.\(name).source") }
    }

    /// Whether the file or the command line sets the option.
    func isSet(_ option: OptionPath) -> Bool { origin(of: option) != .default }

    func origin(of option: OptionPath) -> SettingOrigin {
        if commandLine.contains(option) { return .commandLine }
        return file.keys.contains(option) ? .file : .default
    }

    /// Where the file sets the option; `nil` if it does not, or if the position is not known.
    func position(of option: OptionPath) -> ConfigurationProblem.Position? { file[option] ?? nil }
}

/// Where the present value of an option comes from.
public enum SettingOrigin: String, Hashable, Sendable, Codable {
    case `default`
    /// The configuration file.
    case file
    case commandLine = "command line"
    /// `settings.yml`: it was changed over HTTP.
    case settings
    /// `apus set`, until the server ends or reads its configuration again.
    case control = "apus set"
}

/// A configuration as it was read from a file, and where its values come from.
public struct StatedConfiguration: Sendable {
    public var configuration: Configuration
    public var stated: StatedOptions
    /// `nil` if no file was read.
    public let file: String?

    /// Reads `file`, or the first of `Configuration.usualFiles` that exists if it is `nil`; if there is none, has the defaults.
    public init(of file: String?) throws(ConfigurationFailure) {
        var reading = Reading()
        (configuration, self.file) = try Configuration.load(file, noting: &reading)
        stated = StatedOptions(reading)
    }

    /// Uses the paths of the command line in place of those of the file.
    public mutating func replacePaths(by paths: [String: Configuration.Path]) {
        configuration.paths = paths
        stated.pathsReplacedByCommandLine(paths.keys)
    }
}
