/// The difference between two configurations for a running server. A pure value.
struct ConfigurationDifference: Hashable {
    /// Names of paths, ascending.
    let removed: [String]
    let added: [String]
    /// Paths of both configurations with different options, by name ascending. All other paths are not affected.
    let changed: [PathDifference]
    /// Options of the whole server that the running server uses now.
    let live: [String]
    /// Options of the whole server that differ from those that it was started with, and that apply at the next start only.
    let atNextStart: [String]
    /// Whether rights or credentials have changed.
    let isAccessChanged: Bool
    /// Whether the certificate is in other files now.
    let isCertificateMoved: Bool

    /// - Parameter running: the configuration with which the server was started.
    init(from old: Configuration, to new: Configuration, running: Configuration) {
        let (before, after) = (old.servedPaths, new.servedPaths)
        removed = before.keys.filter { after[$0] == nil }.sorted()
        added = after.keys.filter { before[$0] == nil }.sorted()
        changed = before.keys.filter { after[$0] != nil }.sorted().compactMap { name in
            PathDifference(name, from: old, to: new)
        }
        live = Self.serverChanges(from: old, to: new).filter { $0.effect != .serverRestart }.map(\.option.text)
        atNextStart = Self.serverChanges(from: running, to: new).filter { $0.effect == .serverRestart }
            .map(\.option.text)
        isAccessChanged =
            old.access != new.access || old.users != new.users
            || old.needsPublisherPassword != new.needsPublisherPassword
        isCertificateMoved = old.tls.certificate != new.tls.certificate || old.tls.key != new.tls.key
    }

    var isEmpty: Bool {
        removed.isEmpty && added.isEmpty && changed.isEmpty && live.isEmpty && atNextStart.isEmpty
    }

    /// The options of the whole server that differ.
    private static func serverChanges(from old: Configuration, to new: Configuration) -> [OptionChange] {
        var (old, new) = (old, new)
        (old.paths, new.paths) = ([:], [:])
        return Schema.configuration.changes(from: old, to: new, at: .root)
    }
}
