/// One effect of a change of the configuration; the description is a sentence for the log and for `apus set`.
public enum AppliedChange: Hashable, Sendable, CustomStringConvertible {
    case added(path: String)
    case removed(path: String)
    /// Options that apply now.
    case live(options: [String])
    /// Options of a path that apply to new viewers.
    case changedForNewViewers(path: String, options: [String])
    /// The path's multicast groups have changed, because of these options, or of another path.
    case regrouped(path: String, options: [String])
    /// The running source uses the options now.
    case reconfigured(path: String, options: [String])
    /// Apus does not encode this path, so the options have no effect.
    case notEncodedHere(path: String, options: [String])
    /// The source is not running now.
    case awaitingSource(path: String, options: [String])
    case sourceReplaced(path: String, options: [String])
    case atNextStart(options: [String])

    public var description: String {
        switch self {
        case .added(let path): "/\(path): is served now"
        case .removed(let path): "/\(path): is no longer served; its viewers are disconnected"
        case .live(let options): "\(list(options)): changed"
        case .changedForNewViewers(let path, let options):
            "/\(path): \(list(options)): changed for new viewers"
        case .regrouped(let path, let options):
            "/\(path): \(options.isEmpty ? "" : "\(list(options)): ")its multicast groups have changed; their viewers are "
                + "disconnected"
        case .reconfigured(let path, let options): "/\(path): \(list(options)): changed; viewers stay connected"
        case .notEncodedHere(let path, let options):
            "/\(path): \(list(options)): stored, without effect: Apus does not encode this source"
        case .awaitingSource(let path, let options):
            "/\(path): \(list(options)): stored, and applied when the source starts again"
        case .sourceReplaced(let path, let options):
            "/\(path): \(list(options)): the source starts again; viewers stay connected unless its tracks change"
        case .atNextStart(let options): "\(list(options)): takes effect when the server is restarted"
        }
    }

    private func list(_ options: [String]) -> String { options.joined(separator: ", ") }
}

extension AppliedChange {
    /// The effects of `difference`, in the order of paths and options.
    ///
    /// - Parameter results: what the sources have done with their new settings, by path; by default they are applied.
    static func all(in difference: ConfigurationDifference, results: [String: ReconfigurationResult] = [:]) -> [Self] {
        difference.removed.map { .removed(path: $0) } + difference.added.map { .added(path: $0) }
            + difference.changed.flatMap { all(in: $0, results[$0.name] ?? .applied) }
            + (difference.live.isEmpty ? [] : [.live(options: difference.live)])
            + (difference.atNextStart.isEmpty ? [] : [.atNextStart(options: difference.atNextStart)])
    }

    private static func all(in path: PathDifference, _ result: ReconfigurationResult) -> [Self] {
        let name = path.name
        let own = OptionEffect.allCases.compactMap { effect -> Self? in
            guard let options = path.options[effect] else { return nil }
            return switch effect {
            case .newViewers: .changedForNewViewers(path: name, options: options)
            case .groups: .regrouped(path: name, options: options)
            case .encoding: encoding(of: name, options, result)
            case .source: .sourceReplaced(path: name, options: options)
            case .live: .live(options: options.map { "paths.\(name).\($0)" })
            case .serverRestart: .atNextStart(options: options)
            }
        }
        // A path that comes before it in the alphabet was added or removed, or the server's options for groups have changed.
        let isMoved = path.areGroupsChanged && path.options[.groups] == nil
        return own + (isMoved ? [.regrouped(path: name, options: [])] : [])
    }

    private static func encoding(of path: String, _ options: [String], _ result: ReconfigurationResult) -> Self {
        switch result {
        case .applied: .reconfigured(path: path, options: options)
        case .noEffect: .notEncodedHere(path: path, options: options)
        case .appliedAtNextStart: .awaitingSource(path: path, options: options)
        }
    }
}

extension [AppliedChange] {
    /// Without options that wait for a restart, which another caller has changed.
    var withoutWaiting: Self { filter { if case .atNextStart = $0 { false } else { true } } }
}
