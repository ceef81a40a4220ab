import Streams

/// Why options of a path cannot be set. Then none of them has changed.
public struct SettingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence per problem, without full stops.
    public let reasons: [String]

    init(_ problems: [ConfigurationProblem]) {
        reasons = problems.map { "\($0.option): \($0.message)" }
    }

    private init(reason: String) {
        reasons = [reason]
    }

    static func noPath(_ name: String, among names: [String]) -> Self {
        let nearest = nearestName(to: name, among: names).map { "; did you mean /\($0)? The" } ?? "; the"
        let all = names.prefix(20).map { "/\($0)" }.joined(separator: ", ")
        return Self(reason: "there is no path /\(printable(name))\(nearest) server has \(all)")
    }

    /// The path's source does not work.
    init(source failure: SourceFailure) {
        self.init(reason: "source: \(failure)")
    }

    static let isEnding = Self(reason: "the server is stopping")

    public var description: String { reasons.joined(separator: "\n") }
}
