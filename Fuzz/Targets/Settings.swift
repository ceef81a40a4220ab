import Fuzzing

@testable import Server

/// The settings that were changed over HTTP: any text is an overlay that reads the same when written, or has errors with positions;
/// any overlay leaves a valid configuration, and changes nothing but settings.
///
/// Input: `settings.yml`.
@Sendable func fuzzSettings(_ input: [UInt8]) {
    // Files that are not UTF-8 are refused earlier.
    guard let text = String(validating: input, as: UTF8.self) else { return }
    let overlay: SettingsOverlay
    do throws(ConfigurationFailure) {
        overlay = try SettingsOverlay(yaml: text, file: "settings.yml")
    } catch {
        return require(!error.problems.isEmpty && error.problems.map(\.message).allSatisfy(isLine), "\(error)")
    }
    do throws(ConfigurationFailure) {
        let read = try SettingsOverlay(yaml: overlay.text, file: "settings.yml")
        require(read == overlay, "an overlay reads the same when written: \(overlay.text)")
    } catch {
        require(false, "a written overlay can be read: \(error) \(overlay.text)")
    }
    check(overlay)
}

private func check(_ overlay: SettingsOverlay) {
    let before = Configuration()
    let (after, settings) = before.overlaid(by: overlay, stated: StatedOptions())
    require(settings.count == overlay.paths.values.map(\.count).reduce(0, +), "every setting has an outcome")
    require(settings.map(\.description).allSatisfy(isLine), "an outcome is one line")
    require(after.contradictions.isEmpty, "the configuration stays valid: \(after.contradictions)")
    let changes = Schema.path.changes(
        from: before.servedPaths["cam"] ?? .init(), to: after.servedPaths["cam"] ?? .init(), at: .root)
    let applied = settings.filter(\.isApplied).map(\.key)
    require(Set(changes.map(\.option.text)) == Set(applied), "only settings change: \(changes), \(applied)")
    // What is pasted into the configuration is the same configuration.
    let lines = SettingsList(settings).configurationLines.map { "\($0)\n" }.joined()
    guard let merged = try? Configuration(yaml: lines, file: "apus.yml") else {
        return require(false, "merged lines are a configuration: \(lines)")
    }
    require(merged.servedPaths == after.servedPaths, "merged lines say the same: \(lines)")
}
