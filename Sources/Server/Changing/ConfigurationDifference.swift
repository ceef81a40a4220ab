/// The difference between two configurations for a running server. A pure value.
struct ConfigurationDifference: Hashable {
    /// Names of paths, ascending.
    let removed: [String]
    let added: [String]
    /// Paths of both configurations with different options, by name ascending. All other paths are not affected.
    let changed: [PathDifference]
    /// Options of the whole server that apply at once.
    let live: [String]
    /// Options of the whole server that differ from those that it was started with, and that apply at the next start only.
    let atNextStart: [String]

    /// - Parameter running: the configuration with which the server was started.
    init(from old: Configuration, to new: Configuration, running: Configuration) {
        let (before, after) = (old.servedPaths, new.servedPaths)
        removed = before.keys.filter { after[$0] == nil }.sorted()
        added = after.keys.filter { before[$0] == nil }.sorted()
        changed = before.keys.filter { after[$0] != nil }.sorted().compactMap { name in
            PathDifference(name, from: old, to: new)
        }
        live = Self.serverOptions(from: old, to: new).filter(Self.isLive)
        atNextStart = Self.serverOptions(from: running, to: new).filter { !Self.isLive($0) }
    }

    var isEmpty: Bool {
        removed.isEmpty && added.isEmpty && changed.isEmpty && live.isEmpty && atNextStart.isEmpty
    }

    private static func serverOptions(from old: Configuration, to new: Configuration) -> [String] {
        var (old, new) = (old, new)
        (old.paths, new.paths) = ([:], [:])
        return Schema.configuration.changes(from: old, to: new, at: .root).map(\.text)
    }

    /// Whether rights or credentials have changed.
    var isAccessChanged: Bool { live.contains { ["access", "users"].contains($0.prefix { $0 != "." }) } }

    /// Whether the certificate is in other files now.
    var isCertificateMoved: Bool { !Self.certificateOptions.isDisjoint(with: live) }

    private static let certificateOptions: Set = ["tls.certificate", "tls.key"]

    /// Whether a change of an option of the whole server applies while it runs.
    ///
    /// `join` and `multicast` are part of the options of each path.
    private static func isLive(_ option: String) -> Bool {
        certificateOptions.contains(option)
            || ["log", "join", "multicast", "access", "users"].contains(option.prefix { $0 != "." })
    }
}
