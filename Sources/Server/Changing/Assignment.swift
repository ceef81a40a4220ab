import Yams

/// `KEY=VALUE` for an option of a path: `video.bitrate=4000000` is what `video: { bitrate: 4000000 }` is in the
/// configuration.
///
/// A value that begins with a quote, `{` or `[` is YAML; any other stands for itself, whatever colons it has.
struct Assignment {
    private let text: String

    /// Longer keys name nothing, and what is nested deeper neither.
    private static let (maximumKeyBytes, maximumDepth) = (200, 8)

    init(_ text: String) {
        self.text = text
    }

    /// Sets the option in `path`, or notes what is wrong.
    func apply(to path: inout Configuration.Path, noting reading: inout Reading) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let keys = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].utf8.count <= Self.maximumKeyBytes, keys.count <= Self.maximumDepth else {
            return reading.note("is no KEY=VALUE", with: OptionPath(text: printable(String(text.prefix(64)))))
        }
        do throws(ConfigurationFailure) {
            try Self.withValue(String(parts[1])) { value in
                let node = keys.reversed().reduce(value) { Node([(Node($1), $0)]) }
                Schema.path.read(node, at: .root, into: &path, noting: &reading)
            }
        } catch {
            let message = error.problems.map(\.message).joined(separator: "; ")
            reading.note(message, with: OptionPath(text: printable(String(parts[0]))))
        }
    }

    /// Runs `body` with the value; what it refers to lives as long as that.
    private static func withValue(_ text: String, _ body: (Node) -> Void) throws(ConfigurationFailure) {
        switch text.first {
        case "{", "[", "\"", "'": try Configuration.withDocument(text, file: "value", body)
        // Nothing is an empty text here, and no null as in a file.
        case nil: body(.scalar(Node.Scalar("", .implicit, .doubleQuoted)))
        default: body(.scalar(Node.Scalar(text, .implicit, .plain)))
        }
    }
}

extension Configuration {
    /// This configuration with options of one path set otherwise.
    ///
    /// Blocks for as long as its filters take to open what they read.
    /// - Throws: all that is wrong, where anything is.
    func setting(_ assignments: [String], of name: String) throws(SettingFailure) -> Configuration {
        var result = self
        result.paths = servedPaths
        guard var path = result.paths[name] else { throw .noPath(name, among: result.paths.keys.sorted()) }
        var reading = Reading()
        let before = path
        for assignment in assignments { Assignment(assignment).apply(to: &path, noting: &reading) }
        path.noteMovedMasks(since: before, in: &reading)
        path.noteCamera(since: before, in: &reading)
        guard reading.problems.isEmpty else { throw SettingFailure(reading.problems) }
        result.paths[name] = path
        let contradictions = result.contradictions
        guard !contradictions.isEmpty else { return result }
        // What the command line has led to is not this caller's fault.
        let known = Set(self.contradictions)
        let new = contradictions.filter { !known.contains($0) }
        guard new.isEmpty else { throw SettingFailure(new) }
        return result
    }
}
