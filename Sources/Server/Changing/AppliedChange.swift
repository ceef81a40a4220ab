/// One thing that a change of the configuration has done, as a sentence for the log and for who asked.
public enum AppliedChange: Hashable, Sendable, CustomStringConvertible {
    case added(path: String)
    case removed(path: String)
    /// Options that hold from now on.
    case live(options: [String])
    /// Options of a path that who comes from now on is told of.
    case changedForNewViewers(path: String, options: [String])
    /// The path's groups are others now, for the sake of these of its options, or of another path's.
    case regrouped(path: String, options: [String])
    /// The running source has been told.
    case reconfigured(path: String, options: [String])
    /// Nothing is coded there that these options could change.
    case notEncodedHere(path: String, options: [String])
    /// The source is not open at the moment.
    case awaitingSource(path: String, options: [String])
    case sourceReplaced(path: String, options: [String])
    case atNextStart(options: [String])

    public var description: String {
        switch self {
        case .added(let path): "/\(path) is served from now on"
        case .removed(let path): "/\(path) is not served any more; its viewers are told"
        case .live(let options): "\(list(options)): changed while it runs"
        case .changedForNewViewers(let path, let options):
            "/\(path): \(list(options)): changed while it runs, for who comes from now on"
        case .regrouped(let path, let options):
            "/\(path): \(options.isEmpty ? "" : "\(list(options)): ")its multicast groups are set up anew, and their members "
                + "are told"
        case .reconfigured(let path, let options): "/\(path): \(list(options)): changed while it runs, viewers stay"
        case .notEncodedHere(let path, let options):
            "/\(path): \(list(options)): noted, without effect on what its source passes on"
        case .awaitingSource(let path, let options):
            "/\(path): \(list(options)): noted, holds from its source's next start on"
        case .sourceReplaced(let path, let options):
            "/\(path): \(list(options)): its source starts anew; viewers stay unless its tracks differ"
        case .atNextStart(let options): "\(list(options)): takes effect at the next start"
        }
    }

    private func list(_ options: [String]) -> String { options.joined(separator: ", ") }
}

extension AppliedChange {
    /// What taking up `difference` comes to, in the order of paths and options.
    ///
    /// - Parameter results: by path, what has become of `video` and the like; at once where nothing is said.
    static func all(in difference: ConfigurationDifference, results: [String: ReconfigurationResult] = [:]) -> [Self] {
        difference.removed.map { .removed(path: $0) } + difference.added.map { .added(path: $0) }
            + difference.changed.flatMap { all(in: $0, results[$0.name] ?? .applied) }
            + (difference.live.isEmpty ? [] : [.live(options: difference.live)])
            + (difference.atNextStart.isEmpty ? [] : [.atNextStart(options: difference.atNextStart)])
    }

    private static func all(in path: PathDifference, _ result: ReconfigurationResult) -> [Self] {
        let name = path.name
        let own = PathDifference.Effect.allCases.compactMap { effect -> Self? in
            guard let options = path.options[effect] else { return nil }
            return switch effect {
            case .newViewers: .changedForNewViewers(path: name, options: options)
            case .groups: .regrouped(path: name, options: options)
            case .encoding: encoding(of: name, options, result)
            case .source: .sourceReplaced(path: name, options: options)
            }
        }
        // Another path has come or gone before it in the alphabet, or the whole server's options for groups have changed.
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
