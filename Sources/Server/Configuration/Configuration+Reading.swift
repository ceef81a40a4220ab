import Yams

extension Configuration {
    /// A configuration has a page or two; a longer file is something else.
    static let maximumFileBytes = 1_000_000

    /// The configuration that `yaml` describes.
    ///
    /// - Parameter file: the file's name, for messages.
    public init(yaml: String, file: String) throws(ConfigurationFailure) {
        var reading = Reading()
        try self.init(yaml: yaml, file: file, noting: &reading)
    }

    /// - Parameter reading: receives the positions of all options.
    init(yaml: String, file: String, noting reading: inout Reading) throws(ConfigurationFailure) {
        guard yaml.utf8.count <= Self.maximumFileBytes else {
            throw ConfigurationFailure(
                file: file, message: "is longer than \(Self.maximumFileBytes) bytes, so it cannot be a configuration")
        }
        self.init()
        try Self.withDocument(yaml, file: file) { root in
            if reading.refusesAnchor(of: root, at: .root) { return }
            Schema.configuration.read(root, at: .root, into: &self, noting: &reading)
        }
        noteContradictions(in: &reading)
        noteCameras(in: &reading)
        guard reading.problems.isEmpty else {
            throw ConfigurationFailure(file: file, problems: reading.problems)
        }
    }

    /// Runs `body` with the root of the document. If the text has no document, `body` does not run.
    static func withDocument(
        _ yaml: String, file: String, _ body: (Node) -> Void
    ) throws(ConfigurationFailure) {
        try refuseManyAliases(yaml, file: file)
        do {
            let parser = try Parser(yaml: yaml)
            let root = try parser.singleRoot()
            // Nodes refer weakly to their anchors, which live as long as the parser.
            withExtendedLifetime(parser) { if let root { body(root) } }
        } catch let error as YamlError {
            throw ConfigurationFailure(file: file, problems: [ConfigurationProblem(error, in: yaml)])
        } catch {
            throw ConfigurationFailure(file: file, message: "\(error)")
        }
    }

    /// Refuses a text with many aliases before it is parsed. The parser compares keys, and a key made of aliases of aliases has
    /// billions of parts. A few aliases are refused after parsing, with their position.
    private static func refuseManyAliases(_ yaml: String, file: String) throws(ConfigurationFailure) {
        var count = 0
        var previous: UInt8 = 0x0A
        for byte in yaml.utf8 {
            let isAtStart = previous <= 0x20 || [0x2C, 0x5B, 0x7B].contains(previous)  // , [ {
            if byte == 0x2A, isAtStart { count += 1 }  // *
            previous = byte
        }
        guard count <= 16 else {
            throw ConfigurationFailure(file: file, message: "has \(count) aliases (`*name`), which are not supported")
        }
    }
}

extension ConfigurationProblem {
    /// What the YAML parser refused.
    fileprivate init(_ error: YamlError, in yaml: String) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(
                position: .init(line: mark.line, column: mark.column), option: "",
                message: Self.advice(problem, line: yaml.line(mark.line)) ?? "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "`\(printable($0))`" }.joined(separator: ", ")
            self.init(
                position: .init(line: context.mark.line, column: context.mark.column), option: "",
                message: "this key appears twice: \(names)")
        case .reader(let problem, _, _, _):
            self.init(position: nil, option: "", message: "not valid YAML: \(problem)")
        default:
            self.init(position: nil, option: "", message: "not valid YAML")
        }
    }

    /// What is wrong with a line, in the words of a user; `nil` if the parser's own words have to do.
    private static func advice(_ problem: String, line: Substring) -> String? {
        let start = line.drop { $0 == " " }.first
        if start == "\t" || problem.contains("tab character") {
            return "not valid YAML: the line begins with a tab; indent it with spaces"
        }
        if problem.hasPrefix("block sequence entries") {
            return "not valid YAML: \(problem); write a single - in quotes"
        }
        return nil
    }
}

extension String {
    /// The line with this number, from 1; empty if there is none.
    fileprivate func line(_ number: Int) -> Substring {
        let lines = split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }
}
