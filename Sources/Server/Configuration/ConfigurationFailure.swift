/// One mistake in a configuration, and its position.
public struct ConfigurationProblem: Error, Hashable, Sendable {
    /// Line and column, from 1; `nil` if the problem concerns the whole file.
    public let position: Position?
    /// The option: `server.port`; empty if the text is not valid YAML.
    public let option: String
    /// One sentence without a full stop.
    public let message: String

    public struct Position: Hashable, Comparable, Sendable {
        public let line: Int
        public let column: Int

        public static func < (left: Self, right: Self) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }
}

/// Why a configuration cannot be used: all its mistakes, in the order of the lines.
public struct ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let file: String
    public let problems: [ConfigurationProblem]

    init(file: String, problems: [ConfigurationProblem]) {
        self.file = file
        self.problems = problems.sorted {
            ($0.position ?? .start, $0.option) < ($1.position ?? .start, $1.option)
        }
    }

    /// A failure that concerns the whole file.
    init(file: String, message: String) {
        self.init(file: file, problems: [ConfigurationProblem(position: nil, option: "", message: message)])
    }

    /// One line per problem, as compilers write them: `apus.yml:3:9: server.port: …`.
    public var description: String {
        problems.map { problem in
            let place = problem.position.map { "\(file):\($0.line):\($0.column)" } ?? file
            return ([place] + [problem.option].filter { !$0.isEmpty } + [problem.message]).joined(separator: ": ")
        }.joined(separator: "\n")
    }
}

extension ConfigurationProblem.Position {
    fileprivate static let start = Self(line: 0, column: 0)
}
