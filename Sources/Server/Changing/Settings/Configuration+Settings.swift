import Streams

extension Configuration {
    /// This configuration with changed settings of one path, and the overlay that leads to it.
    ///
    /// Blocks until the path's filters have opened their input.
    /// - Parameters:
    ///   - wanted: values by setting; `nil` for that of `base`.
    ///   - base: the configuration without the overlay.
    ///   - stated: which options `base` sets.
    func changing(
        _ wanted: [String: SettingValue?], of name: String, base: Configuration, stated: StatedOptions,
        overlay: SettingsOverlay
    ) throws(SettingFailure) -> (Configuration, SettingsOverlay) {
        let table = Path.settingTable
        if let failure = SettingFailure(refusing: wanted.keys.filter { table[$0] == nil }.sorted()) { throw failure }
        let configured = base.servedPaths[name] ?? Path()
        let result: Configuration
        do throws(SettingFailure) {
            result = try changing(name) { path, reading in
                for (key, value) in wanted.sorted(by: { $0.key < $1.key }) {
                    guard let value else {
                        table[key]?.copy(configured, &path)
                        continue
                    }
                    table[key]?.set(value, in: &path, noting: &reading)
                }
            }
            try result.testSource(of: name, since: self)
        } catch {
            throw error.withoutPath(name)
        }
        var overlay = overlay
        for key in wanted.keys {
            guard let setting = table[key], let path = result.servedPaths[name] else { continue }
            let (value, then) = (setting.value(path), setting.value(configured))
            // Masks that were confirmed for another size must be known as such at the next start.
            let isConfirmation = key == Self.masksKey && path.video.size != configured.video.size
            let isSet = stated.isSet(.root + "paths" + name + key)
            overlay[name, key] =
                value == then && !isConfirmation ? nil : .init(value: value, insteadOf: isSet ? then : nil)
        }
        return (result, overlay)
    }

    /// This configuration with the values of `base` for some settings of the overlay, and the rest of the overlay.
    ///
    /// - Parameters:
    ///   - name: the path; `nil` for all paths.
    ///   - keys: the settings; empty for all.
    /// - Throws: if the rest cannot be combined with the values of `base`.
    func dropping(
        of name: String?, _ keys: [String], base: Configuration, overlay: SettingsOverlay
    ) throws(SettingFailure) -> (Configuration, SettingsOverlay) {
        let remaining = try overlay.dropping(of: name, keys)
        let table = Path.settingTable
        var result = self
        for (name, entries) in overlay.paths {
            guard let configured = base.servedPaths[name], var path = result.servedPaths[name] else { continue }
            for (key, entry) in entries where remaining[name, key] == nil {
                // What apus set has changed since stays.
                guard let setting = table[key], setting.value(path) == setting.value(entry) else { continue }
                setting.copy(configured, &path)
            }
            guard path != result.servedPaths[name] else { continue }
            var reading = Reading()
            path.noteMovedMasks(since: result.servedPaths[name] ?? path, in: &reading)
            guard reading.problems.isEmpty else { throw SettingFailure(reading.problems) }
            result.paths[name] = path
        }
        let known = Set(contradictions)
        let new = result.contradictions.filter { !known.contains($0) }
        guard new.isEmpty else { throw SettingFailure(new) }
        return (result, remaining)
    }
}

extension Setting<Configuration.Path> {
    /// The value of an entry in the form that ``value`` gives it; `nil` if the setting cannot have it.
    func value(_ entry: SettingsOverlay.Entry) -> SettingValue? { normal(entry.value) }

    /// A value in the form that ``value`` gives it; `nil` if the setting cannot have it.
    func normal(_ value: SettingValue) -> SettingValue? {
        var (path, reading) = (Configuration.Path(), Reading())
        set(value, in: &path, noting: &reading)
        return reading.problems.isEmpty ? self.value(path) : nil
    }
}

extension SettingFailure {
    /// Why these options cannot be changed over HTTP; `nil` if there are none.
    ///
    /// - Parameter keys: names that are no settings.
    fileprivate init?(refusing keys: [String]) {
        guard !keys.isEmpty else { return nil }
        let options = Set(Schema.path.values(in: Configuration.Path(), at: .root).map(\.option.text))
        let fixed = keys.filter(options.contains)
        if !fixed.isEmpty {
            let reason = "cannot be changed over HTTP; change it in the configuration file, or with apus set"
            self.init(.notOverHTTP, fixed.map { Problem(option: $0, message: reason) })
            return
        }
        let names = Configuration.Path.settings.map(\.key)
        self.init(
            .invalid,
            keys.map { key in
                let last = key.split(separator: ".").last.map(String.init) ?? key
                let meant = suggestion(for: last, among: [], orBelow: names) ?? suggestion(for: key, among: names)
                return Problem(
                    option: printable(String(key.prefix(64))),
                    message: "no such setting\(meant.map { "; did you mean `\($0)`?" } ?? "")")
            })
    }

    /// The same, with the options of a path named without it: `video.width` in place of `paths.cam.video.width`.
    fileprivate func withoutPath(_ name: String) -> Self {
        let prefix = "paths.\(name)."
        return Self(
            kind,
            problems.map { problem in
                guard problem.option.hasPrefix(prefix) else { return problem }
                return Problem(option: String(problem.option.dropFirst(prefix.count)), message: problem.message)
            })
    }
}
