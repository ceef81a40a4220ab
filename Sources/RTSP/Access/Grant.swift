/// A permission for a stream.
public enum Right: String, CaseIterable, Hashable, Sendable {
    /// To watch the stream.
    case read
    /// To publish the stream.
    case publish
    /// To change the stream's settings.
    case control
    /// To read the status of the server: sources, viewers with their addresses, and metrics.
    case status
}

/// A pattern of paths: one path, or all paths with the same prefix.
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    /// `cam` for one path, `yard/*` for all paths that begin with `yard/`, `*` for all paths.
    public let description: String
    private let beginning: String
    private let isWhole: Bool

    /// `nil` for an empty text, or if a star is not at the end.
    public init?(_ text: String) {
        let beginning = text.hasSuffix("*") ? text.dropLast() : text[...]
        guard !text.isEmpty, !text.hasPrefix("/"), text.utf8.count <= 201,
            beginning.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) })
        else { return nil }
        description = text
        self.beginning = "/" + beginning
        isWhole = !text.hasSuffix("*")
    }

    /// Matches only `path`, whatever characters it contains: a star that a client sends has no special meaning.
    ///
    /// - Parameter path: without its leading slash, unless it is `/`.
    init(exactly path: String) {
        description = path
        beginning = path == "/" ? path : "/" + path
        isWhole = true
    }

    /// Whether the pattern is `*`.
    var matchesAll: Bool { !isWhole && beginning == "/" }

    /// Whether the pattern matches `path`, which has a leading slash.
    public func matches(_ path: String) -> Bool { matches(path, ignoringCase: false) }

    /// - Parameter path: with its leading slash.
    func matches(_ path: String, ignoringCase: Bool) -> Bool {
        guard ignoringCase else { return isWhole ? path == beginning : path.hasPrefix(beginning) }
        return isWhole ? path.equalsIgnoringCase(beginning) : path.hasPrefixIgnoringCase(beginning)
    }
}

/// A user and the user's permissions.
public struct Grant: Hashable, Sendable {
    /// `nil` if clients need not authenticate.
    public let user: String?
    private let patterns: [Right: [PathPattern]]?

    /// All permissions, which every client has if there are no users.
    public static let everything = Self(user: nil, patterns: nil)

    /// - Parameter patterns: the paths of each permission; none for a permission that is left out.
    public init(user: String, _ patterns: [Right: [PathPattern]]) {
        self.init(user: user, patterns: patterns)
    }

    private init(user: String?, patterns: [Right: [PathPattern]]?) {
        self.user = user
        self.patterns = patterns
    }

    /// - Parameters:
    ///   - path: the path with its leading slash; `nil` for the whole server, which every user may query, and which has the other
    ///     rights of users that have them for all paths.
    ///   - ignoringCase: for a client that sends its URL in lower case. The caller must check the path that it finds again.
    public func admits(_ right: Right, _ path: String?, ignoringCase: Bool = false) -> Bool {
        guard let patterns else { return true }
        guard let path else { return right == .read || patterns[right, default: []].contains(where: \.matchesAll) }
        return patterns[right, default: []].contains { $0.matches(path, ignoringCase: ignoringCase) }
    }

    /// The same grant, restricted to watching one path.
    ///
    /// - Parameter path: with its leading slash.
    func toWatch(_ path: String) -> Self {
        let pattern = PathPattern(exactly: path == "/" ? path : String(path.drop { $0 == "/" }))
        return Self(user: user, patterns: [.read: admits(.read, path) ? [pattern] : []])
    }

    /// The same grant, restricted to watching.
    var toRead: Self {
        Self(user: user, patterns: patterns?.filter { $0.key == .read })
    }
}
