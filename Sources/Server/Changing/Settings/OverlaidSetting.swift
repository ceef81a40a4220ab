/// A setting of the overlay, and whether it applies to the present configuration.
struct OverlaidSetting: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        /// In place of this value of the configuration.
        case applied(insteadOf: SettingValue)
        /// The configuration has the same value now.
        case sameInConfiguration
        /// The configuration has changed since, so its value applies.
        case superseded(by: SettingValue)
        /// It cannot be used, for this reason.
        case refused(String)
        /// There is no such path now.
        case noPath
    }

    let path: String
    let key: String
    let value: SettingValue
    let outcome: Outcome

    /// The full name of the option.
    var option: OptionPath { .root + "paths" + path + key }

    /// What becomes of it, as a sentence for users.
    var description: String {
        let text = "\(printable(option.text)): \(value.yaml)"
        return switch outcome {
        case .applied(let configured): "\(text), instead of \(configured.yaml)"
        case .sameInConfiguration: "\(text), as in the configuration now"
        case .superseded(let configured):
            "\(text) is not used: the configuration has changed since, and its value is \(configured.yaml)"
        case .refused(let reason): "\(text) is not used: \(reason)"
        case .noPath: "\(text) is not used: there is no such path"
        }
    }

    /// Whether its value replaces that of the configuration.
    var isApplied: Bool {
        guard case .applied = outcome else { return false }
        return true
    }

    /// Whether the path has its value.
    var isUsed: Bool { isApplied || outcome == .sameInConfiguration }
}

extension Configuration {
    /// This configuration with the settings of `overlay`, and what has become of each, by path and name.
    ///
    /// Blocks until changed filters have opened their input.
    /// - Parameter stated: which options this configuration sets.
    func overlaid(
        by overlay: SettingsOverlay, stated: StatedOptions
    ) -> (configuration: Configuration, settings: [OverlaidSetting]) {
        guard !overlay.isEmpty else { return (self, []) }
        let table = Path.settingTable
        var result = self
        if paths.isEmpty { result.paths = servedPaths }
        var settings: [OverlaidSetting] = []
        for (name, entries) in overlay.paths.sorted(by: { $0.key < $1.key }) {
            guard let before = result.servedPaths[name] else {
                settings += entries.map { OverlaidSetting(path: name, key: $0, value: $1.value, outcome: .noPath) }
                continue
            }
            var path = before
            var own = entries.map { key, entry in
                let isSet = stated.isSet(.root + "paths" + name + key)
                let outcome =
                    table[key].map { path.overlay(entry, of: $0, isSet: isSet) }
                    ?? .refused("it cannot be changed over HTTP")
                return OverlaidSetting(path: name, key: key, value: entry.value, outcome: outcome)
            }
            result.paths[name] = path
            let confirmsMasks = own.contains { $0.key == Configuration.masksKey && $0.isUsed }
            if path != before,
                let reason = reason(
                    against: path, as: name, in: result, since: before, confirmsMasks: confirmsMasks)
            {
                // A part of the settings could be wrong without the others, such as masks without their size.
                result.paths[name] = before
                own = own.map { $0.isApplied ? $0.refused(reason) : $0 }
            }
            settings += own
        }
        return (result, settings.sorted { ($0.path, $0.key) < ($1.path, $1.key) })
    }

    static let masksKey = "effects.privacyMasks"

    /// Why the path of this name cannot have the settings with which `path` differs from `before`; `nil` if it can.
    ///
    /// - Parameter confirmsMasks: whether the masks were set together with another size.
    private func reason(
        against path: Path, as name: String, in result: Configuration, since before: Path, confirmsMasks: Bool
    ) -> String? {
        var reading = Reading()
        if !confirmsMasks { path.noteMovedMasks(since: before, in: &reading) }
        path.noteCamera(since: before, in: &reading)
        var others = result
        others.paths[name] = before
        let known = Set(others.contradictions)
        let problems = reading.problems + result.contradictions.filter { !known.contains($0) }
        return problems.first.map { "\($0.option): \($0.message)" }
    }
}

extension Configuration.Path {
    /// Uses an entry of the overlay if the configuration still says what it said then.
    ///
    /// - Parameter isSet: whether the configuration sets the option.
    fileprivate mutating func overlay(
        _ entry: SettingsOverlay.Entry, of setting: Setting<Self>, isSet: Bool
    ) -> OverlaidSetting.Outcome {
        let configured = setting.value(self)
        var (other, reading) = (Self(), Reading())
        setting.set(entry.value, in: &other, noting: &reading)
        if let problem = reading.problems.first { return .refused(problem.message) }
        if setting.value(other) == configured { return .sameInConfiguration }
        let isUnchanged =
            isSet ? entry.insteadOf.flatMap(setting.normal) == configured : entry.insteadOf == nil
        guard isUnchanged else { return .superseded(by: configured) }
        setting.copy(other, &self)
        return .applied(insteadOf: configured)
    }
}

extension OverlaidSetting {
    fileprivate func refused(_ reason: String) -> Self {
        Self(path: path, key: key, value: value, outcome: .refused(reason))
    }
}
