/// What somebody may do with a stream.
public enum Right: String, CaseIterable, Hashable, Sendable {
    /// Watch it.
    case read
    /// Send it.
    case publish
    /// Change how it is made.
    case control
}

/// The paths that a right is given for: one by its name, or all that begin alike.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    /// `cam`, `yard/*` for all that begin with `yard/`, `*` for all.
    public let description: String
    private let beginning: String
    private let isWhole: Bool

    /// `nil` where a star stands elsewhere than at the end, or nothing stands there.
    public init?(_ text: String) {
        let beginning = text.hasSuffix("*") ? text.dropLast() : text[...]
        guard !text.isEmpty, !text.hasPrefix("/"), text.utf8.count <= 65,
            beginning.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) })
        else { return nil }
        description = text
        self.beginning = "/" + beginning
        isWhole = !text.hasSuffix("*")
    }

    /// Matches `path` alone, whatever characters it has: a star that a client sends is no pattern.
    ///
    /// - Parameter path: without its leading slash, unless it is `/`.
    init(exactly path: String) {
        description = path
        beginning = path == "/" ? path : "/" + path
        isWhole = true
    }

    /// Whether `path`, with its leading slash, is among the paths of the pattern.
    public func matches(_ path: String) -> Bool { matches(path, ignoringCase: false) }

    /// - Parameter path: with its leading slash.
    func matches(_ path: String, ignoringCase: Bool) -> Bool {
        guard ignoringCase else { return isWhole ? path == beginning : path.hasPrefix(beginning) }
        return isWhole ? path.isSame(as: beginning) : path.startsSame(as: beginning)
    }
}

/// Who asks, and what that person may do.
public struct Grant: Hashable, Sendable {
    /// `nil` where nobody has to say.
    public let user: String?
    private let patterns: [Right: [PathPattern]]?

    /// What everybody may do where there are no users: all.
    public static let everything = Self(user: nil, patterns: nil)

    /// - Parameter patterns: what of each right; none of those that are left out.
    public init(user: String, _ patterns: [Right: [PathPattern]]) {
        self.init(user: user, patterns: patterns)
    }

    private init(user: String?, patterns: [Right: [PathPattern]]?) {
        self.user = user
        self.patterns = patterns
    }

    /// - Parameters:
    ///   - path: with its leading slash; `nil` for the server as a whole, where every user may ask.
    ///   - ignoringCase: for a client that has lost the case of its URL. Then the path that is found is to be asked for again.
    public func admits(_ right: Right, _ path: String?, ignoringCase: Bool = false) -> Bool {
        guard let patterns, let path else { return true }
        return patterns[right, default: []].contains { $0.matches(path, ignoringCase: ignoringCase) }
    }

    /// The same without any right but that to watch.
    var toRead: Self {
        Self(user: user, patterns: patterns?.filter { $0.key == .read })
    }
}
