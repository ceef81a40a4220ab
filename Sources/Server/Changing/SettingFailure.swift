import Streams

/// Why options of a path cannot be changed. Then none of them has changed.
public struct SettingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// There is no such path.
        case noPath
        /// An option can be changed only in the configuration file or over the control socket.
        case notOverHTTP
        /// There is no such option, or it cannot have this value.
        case invalid
        /// The server is stopping.
        case isEnding
    }

    public struct Problem: Hashable, Sendable {
        /// The option: `video.bitrate`; empty if no option is the reason.
        public let option: String
        /// One sentence without a full stop.
        public let message: String
    }

    public let kind: Kind
    public let problems: [Problem]

    init(_ kind: Kind, _ problems: [Problem]) {
        (self.kind, self.problems) = (kind, problems)
    }

    init(_ problems: [ConfigurationProblem]) {
        self.init(.invalid, problems.map { Problem(option: $0.option, message: $0.message) })
    }

    static func noPath(_ name: String, among names: [String]) -> Self {
        let nearest = nearestName(to: name, among: names).map { "; did you mean /\($0)? The" } ?? "; the"
        let all = names.prefix(20).map { "/\($0)" }.joined(separator: ", ")
        return Self(
            .noPath,
            [Problem(option: "", message: "there is no path /\(printable(name))\(nearest) server has \(all)")])
    }

    /// The path's source does not work.
    init(source failure: SourceFailure) {
        self.init(.invalid, [Problem(option: "source", message: "\(failure)")])
    }

    static let isEnding = Self(.isEnding, [Problem(option: "", message: "the server is stopping")])

    /// One sentence per problem, without full stops.
    public var reasons: [String] {
        problems.map { $0.option.isEmpty ? $0.message : "\($0.option): \($0.message)" }
    }

    public var description: String { reasons.joined(separator: "\n") }
}
