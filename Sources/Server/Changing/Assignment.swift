import Yams

/// `KEY=VALUE` for an option of a path: `video.bitrate=4M` corresponds to `video: { bitrate: 4M }` in the configuration.
///
/// A value that begins with a quote, `{` or `[` is YAML; any other value is used as it is, even if it contains colons.
struct Assignment {
    private let text: String

    /// No option has a longer key or is nested more deeply.
    private static let (maximumKeyBytes, maximumDepth) = (200, 8)

    private static let expectation = "write KEY=VALUE without spaces, such as video.bitrate=4M"

    init(_ text: String) {
        self.text = text
    }

    /// Notes texts that are a key and a value without `=`, such as `title` and `Yard`, and removes them.
    static func withoutPairs(_ texts: [String], noting reading: inout Reading) -> [String] {
        var (rest, result) = (texts[...], [String]())
        while let first = rest.popFirst() {
            guard !first.contains("="), let second = rest.first, !second.contains("=") else {
                result.append(first)
                continue
            }
            rest.removeFirst()
            let key = first.prefix(64)
            // The value may be a password, or a URL with one.
            let value =
                key.hasSuffix("password") || second.contains("password") ? "…" : withoutCredentials(second).prefix(64)
            let option = OptionPath(text: printable("\(key) \(value)"))
            reading.note("write \(printable("\(key)=\(value)")), without spaces", with: option)
        }
        return result
    }

    /// Sets the option in `path`, or notes the mistake.
    func apply(to path: inout Configuration.Path, noting reading: inout Reading) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let keys = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].utf8.count <= Self.maximumKeyBytes, keys.count <= Self.maximumDepth else {
            return reading.note(Self.expectation, with: OptionPath(text: printable(String(text.prefix(64)))))
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

    /// Runs `body` with the value, which is valid until `body` returns.
    private static func withValue(_ text: String, _ body: (Node) -> Void) throws(ConfigurationFailure) {
        switch text.first {
        case "{", "[", "\"", "'": try Configuration.withDocument(text, file: "value", body)
        // An empty value is an empty text here; in a file it would be null.
        case nil: body(.scalar(Node.Scalar("", .implicit, .doubleQuoted)))
        default: body(.scalar(Node.Scalar(text, .implicit, .plain)))
        }
    }
}

extension Configuration {
    /// This configuration with changed options of one path.
    ///
    /// Blocks until the path's filters have opened their input.
    /// - Throws: all mistakes.
    func setting(_ assignments: [String], of name: String) throws(SettingFailure) -> Configuration {
        try changing(name) { path, reading in
            for assignment in Assignment.withoutPairs(assignments, noting: &reading) {
                Assignment(assignment).apply(to: &path, noting: &reading)
            }
        }
    }

    /// This configuration with another path of this name.
    ///
    /// - Parameter change: changes the path, and notes mistakes.
    /// - Throws: all mistakes, also values that cannot be combined.
    func changing(
        _ name: String, _ change: (inout Path, inout Reading) -> Void
    ) throws(SettingFailure) -> Configuration {
        var result = self
        // Without paths, the test card is served as `cam`. Patterns of paths stay.
        if paths.isEmpty { result.paths = servedPaths }
        guard var path = result.servedPaths[name] else {
            throw .noPath(name, among: result.servedPaths.keys.sorted())
        }
        var reading = Reading()
        let before = path
        change(&path, &reading)
        path.noteMovedMasks(since: before, in: &reading)
        path.noteCamera(since: before, in: &reading)
        guard reading.problems.isEmpty else { throw SettingFailure(reading.problems) }
        result.paths[name] = path
        let contradictions = result.contradictions
        guard !contradictions.isEmpty else { return result }
        // Contradictions that the command line of the server has caused are not reported.
        let known = Set(self.contradictions)
        let new = contradictions.filter { !known.contains($0) }
        guard new.isEmpty else { throw SettingFailure(new) }
        return result
    }
}
