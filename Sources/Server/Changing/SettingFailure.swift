import Streams

/// Why options of a path cannot be set: nothing has changed.
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
        let nearest = nearestName(to: name, among: names).map { "; the nearest is /\($0)" }
        let all = names.prefix(20).map { "/\($0)" }.joined(separator: ", ")
        return Self(reason: "/\(printable(name)) is not served here\(nearest ?? ""); there are \(all)")
    }

    /// The path's source does not work.
    init(source failure: SourceFailure) {
        self.init(reason: "source: \(failure)")
    }

    static let isEnding = Self(reason: "the server is ending")

    public var description: String { reasons.joined(separator: "\n") }
}
