/// The settings that were changed over HTTP. A value; `settings.yml` contains it.
///
/// An entry means: in place of what the configuration said, use this. It applies as long as the configuration says the same;
/// if that changes, the configuration's value wins.
struct SettingsOverlay: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        let value: SettingValue
        /// What the file or the command line said when the setting was changed; `nil` if they did not set the option.
        let insteadOf: SettingValue?
    }

    /// By path and setting.
    private(set) var paths: [String: [String: Entry]] = [:]

    var isEmpty: Bool { paths.isEmpty }

    subscript(path: String, key: String) -> Entry? {
        get { paths[path]?[key] }
        set {
            paths[path, default: [:]][key] = newValue
            if paths[path]?.isEmpty == true { paths[path] = nil }
        }
    }
}

extension SettingsOverlay {
    /// This overlay without some settings.
    ///
    /// - Parameters:
    ///   - name: the path; `nil` for all paths.
    ///   - keys: the settings; empty for all.
    /// - Throws: if it has none of this path, or lacks one of the keys.
    func dropping(of name: String?, _ keys: [String]) throws(SettingFailure) -> Self {
        guard let name else { return Self() }
        guard let entries = paths[name] else {
            let reason = "no setting of /\(printable(name)) was changed over HTTP"
            throw SettingFailure(.noPath, [.init(option: "", message: reason)])
        }
        var overlay = self
        for key in keys.isEmpty ? entries.keys.sorted() : keys {
            guard entries[key] != nil else {
                let others = entries.keys.sorted().joined(separator: ", ")
                let reason = "was not changed over HTTP; of /\(name), these were: \(others)"
                throw SettingFailure(.invalid, [.init(option: printable(key), message: reason)])
            }
            overlay[name, key] = nil
        }
        return overlay
    }

    /// The text of `settings.yml`.
    var text: String {
        let paths = paths.sorted { $0.key < $1.key }.map { path, entries in
            "  \(quoted(path)):\n"
                + entries.sorted { $0.key < $1.key }.map { key, entry in
                    let insteadOf = entry.insteadOf.map { ", insteadOf: \($0.yaml)" } ?? ""
                    return "    \(quoted(key)): { value: \(entry.value.yaml)\(insteadOf) }\n"
                }.joined()
        }
        return """
            # Settings that were changed over HTTP, and what the configuration said then. Apus writes this file; apus settings
            # lists them, prints them for the configuration, and drops them.
            paths:\(paths.isEmpty ? " {}" : "")

            """ + paths.joined()
    }
}
