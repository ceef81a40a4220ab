import Yams

/// Why an argument of the command line is invalid, as the end of a sentence that begins with the option's name.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}

extension Configuration.Path {
    /// Sets one option by its key in the configuration, such as `video.width`.
    ///
    /// - Throws: if the configuration would refuse `text` as the value of this option.
    public mutating func set(_ key: String, to text: String) throws(InvalidArgument) {
        // Unquoted, so that numbers are accepted; other text is quoted, because words such as `null` have a meaning in YAML.
        let style: Node.Scalar.Style = text.first?.isNumber == true ? .plain : .doubleQuoted
        let value = Node.scalar(Node.Scalar(text, .implicit, style))
        let node = key.split(separator: ".").reversed().reduce(value) { Node([(Node(String($1)), $0)]) }
        var path = self
        var reading = Reading()
        Schema.path.read(node, at: .root, into: &path, noting: &reading)
        if let problem = reading.problems.first { throw InvalidArgument(description: problem.message) }
        self = path
    }
}

extension Configuration {
    /// Adds the user `NAME:PASSWORD`, who may watch all paths, or replaces the user of that name.
    public mutating func addUser(_ text: String) throws(InvalidArgument) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, isUserName(parts[0]) else {
            throw InvalidArgument(
                description: "expects NAME:PASSWORD; a name has 1 to 64 letters, digits, `-`, `_` and `.`")
        }
        // The message must not repeat the password.
        guard let password = StoredPassword(parts[1]) else {
            throw InvalidArgument(description: "expects NAME:PASSWORD; a password has 1 to 128 bytes on one line")
        }
        guard access.httpCallback.isEmpty else {
            throw InvalidArgument(description: "has no effect with access.httpCallback; remove either")
        }
        var user = User()
        user.password = password
        users[parts[0]] = user
    }
}
