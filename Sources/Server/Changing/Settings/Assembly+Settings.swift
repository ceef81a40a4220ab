import Logging
import RTSPServer

/// What a change of settings over HTTP has done.
public struct SettingsChange: Sendable {
    /// The effects; none if the settings had these values already.
    public let changes: [AppliedChange]
    /// Why the change does not survive a restart: one sentence without a full stop; `nil` if it does.
    public let lossAtRestart: String?
}

/// The settings that may be changed over HTTP, and the overlay that keeps them.
extension Assembly {
    /// The settings of a path, in the order of the reference file; `nil` if there is no such path. Those that a publisher has created
    /// have none. May be called from any thread.
    ///
    /// - Parameter name: the name of the path, without its slash.
    public func settings(of name: String) -> [PathSetting]? {
        let settings = Configuration.Path.settings
        return state.withLock { state in
            guard let path = state.configuration.servedPaths[name], let configured = state.base.servedPaths[name] else {
                return state.createdPaths[name] == nil ? nil : []
            }
            let controls = state.paths[name]?.source.controls
            return settings.map { setting in
                let (value, base) = (setting.value(path), setting.value(configured))
                let option = OptionPath.root + "paths" + name + setting.key
                let isOverlaid = value != base && state.overlay[name, setting.key].map(setting.value) == value
                return PathSetting(
                    key: setting.key, value: value,
                    origin: isOverlaid
                        ? .settings : value == base ? state.stated.origin(of: option) : .control,
                    configured: base, type: setting.type, reason: setting.reason, effect: setting.effect.sentence,
                    controls: setting.key == "camera.controls" ? controls : nil)
            }
        }
    }

    /// Changes settings of one path, all of them or none, and keeps them in `settings.yml` for the next start.
    ///
    /// If they cannot be kept, because the disk is full for example, they are changed nevertheless: a privacy mask must not wait for a
    /// disk. The result then says so.
    ///
    /// May be called from any thread that may block: until the path's filters have opened their input, and until the file is on the
    /// disk. Other threads continue.
    /// - Parameters:
    ///   - wanted: values by setting; `nil` for that of the configuration. Of a map, names that the value does not contain stay.
    ///   - name: the name of the path, without its slash.
    ///   - user: for the log.
    /// - Throws: all mistakes; then nothing has changed.
    public func change(
        _ wanted: [String: SettingValue?], of name: String, by user: String? = nil
    ) throws(SettingFailure) -> SettingsChange {
        try changeOverlay("over HTTP", by: user) { (state) throws(SettingFailure) in
            if let origin = state.createdPaths[name] {
                throw SettingFailure(
                    .notOverHTTP,
                    [.init(option: "", message: "a publisher has created the path; \(origin.pattern) has its options")])
            }
            return try state.configuration.changing(
                wanted, of: name, base: state.base, stated: state.stated, overlay: state.overlay)
        }
    }

    /// Gives settings that were changed over HTTP the values of the configuration again, and forgets those that are not in use.
    ///
    /// - Parameters:
    ///   - name: the path; `nil` for all paths.
    ///   - keys: the settings; empty for all.
    /// - Throws: if one of them was not changed over HTTP.
    func dropSettings(of name: String?, _ keys: [String]) throws(SettingFailure) -> SettingsChange {
        try changeOverlay("settings dropped") { (state) throws(SettingFailure) in
            try state.configuration.dropping(of: name, keys, base: state.base, overlay: state.overlay)
        }
    }

    /// The settings of the overlay, and what has become of each. Blocks until changed filters have opened their input.
    func overlaidSettings() -> [OverlaidSetting] {
        let (base, stated, overlay) = state.withLock { ($0.base, $0.stated, $0.overlay) }
        return base.overlaid(by: overlay, stated: stated).settings
    }

    /// Logs settings that are not used.
    static func report(_ settings: [OverlaidSetting], _ log: Logger) {
        let count = settings.count(where: \.isApplied)
        if count > 0 { log.info("settings changed over HTTP apply", metadata: ["count": "\(count)"]) }
        for setting in settings {
            switch setting.outcome {
            case .applied, .sameInConfiguration: break
            case .superseded, .refused: log.warning("changed over HTTP: \(setting.description)")
            case .noPath: log.info("changed over HTTP: \(setting.description)")
            }
        }
    }

    // MARK: - One change

    /// What a change starts from.
    private struct Present {
        let configuration: Configuration
        let base: Configuration
        let stated: StatedOptions
        let overlay: SettingsOverlay
        let createdPaths: [String: CreatedPathOrigin]
    }

    /// Applies a change of the overlay, and keeps it.
    ///
    /// - Parameters:
    ///   - cause: for the log.
    ///   - make: makes the new configuration and the new overlay. Runs without the lock, because filters are tested here, and again if
    ///     another change came first.
    private func changeOverlay(
        _ cause: String, by user: String? = nil,
        _ make: (Present) throws(SettingFailure) -> (Configuration, SettingsOverlay)
    ) throws(SettingFailure) -> SettingsChange {
        while true {
            let present = state.withLock {
                Present(
                    configuration: $0.configuration, base: $0.base, stated: $0.stated, overlay: $0.overlay,
                    createdPaths: $0.createdPaths)
            }
            let (wanted, overlay) = try make(present)
            guard let changes = try apply(wanted, overlay, inPlaceOf: present) else { continue }
            for change in changes { log.notice("\(cause): \(change)", metadata: user.map { ["user": "\($0)"] }) }
            let isKept = overlay == present.overlay && settingsFile.problem == nil
            return SettingsChange(changes: changes, lossAtRestart: isKept ? nil : keepSettings())
        }
    }

    /// - Returns: `nil`, without an effect, if something else has changed meanwhile.
    private func apply(
        _ wanted: Configuration, _ overlay: SettingsOverlay, inPlaceOf present: Present
    ) throws(SettingFailure) -> [AppliedChange]? {
        try state.withLock { (state) throws(SettingFailure) -> [AppliedChange]? in
            guard !state.isStopping else { throw .isEnding }
            guard state.configuration == present.configuration, state.overlay == present.overlay,
                state.base == present.base
            else { return nil }
            state.overlay = overlay
            return apply(wanted, to: &state).withoutWaiting
        }
    }

    /// - Returns: why they cannot be kept; `nil` if they are.
    private func keepSettings() -> String? {
        do throws(StateFailure) {
            try settingsFile.keep { state.withLock(\.overlay) }
            return nil
        } catch {
            log.error(
                "settings that were changed over HTTP are lost at the next start", metadata: ["reason": "\(error)"])
            return error.description
        }
    }
}
