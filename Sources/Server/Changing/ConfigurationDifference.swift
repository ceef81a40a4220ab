/// What lies between two configurations, as far as a running server is concerned. A pure value.
struct ConfigurationDifference: Hashable {
    /// Names of paths, ascending.
    let removed: [String]
    let added: [String]
    /// Paths of both that are served otherwise now, by name ascending; those that are not here nobody touches.
    let changed: [PathDifference]
    /// Options of the whole server that can be taken up at once.
    let live: [String]
    /// Options of the whole server in which the new configuration differs from what runs, and that only a start can take up.
    let atNextStart: [String]

    /// - Parameter running: what the server was started with, of which it keeps what only a start can take up.
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

    /// Whether other people may do something now, or are to prove it otherwise.
    var isAccessChanged: Bool { live.contains { ["access", "users"].contains($0.prefix { $0 != "." }) } }

    /// Whether other files hold the certificate now.
    var isCertificateMoved: Bool { !Self.certificateOptions.isDisjoint(with: live) }

    private static let certificateOptions: Set = ["tls.certificate", "tls.key"]

    /// Whether an option of the whole server is asked for again and again while it runs.
    ///
    /// `join` and `multicast` are what paths are offered with.
    private static func isLive(_ option: String) -> Bool {
        certificateOptions.contains(option)
            || ["log", "join", "multicast", "access", "users"].contains(option.prefix { $0 != "." })
    }
}
