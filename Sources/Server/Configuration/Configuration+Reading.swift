import Yams

extension Configuration {
    /// A configuration is a page or two; what is longer is something else.
    static let maximumFileBytes = 1_000_000

    /// The configuration that `yaml` describes.
    ///
    /// - Parameter file: its name, for messages.
    public init(yaml: String, file: String) throws(ConfigurationFailure) {
        var reading = Reading()
        try self.init(yaml: yaml, file: file, noting: &reading)
    }

    /// - Parameter reading: gets the positions of all options.
    init(yaml: String, file: String, noting reading: inout Reading) throws(ConfigurationFailure) {
        guard yaml.utf8.count <= Self.maximumFileBytes else {
            throw ConfigurationFailure(
                file: file, message: "is longer than \(Self.maximumFileBytes) bytes, so it is hardly a configuration")
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

    /// Runs `body` with the document's root; not at all where the text holds no document.
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
            throw ConfigurationFailure(file: file, problems: [ConfigurationProblem(error)])
        } catch {
            throw ConfigurationFailure(file: file, message: "\(error)")
        }
    }

    /// Few aliases are refused where they stand, as anchors, after parsing. Many could cost more than the parser may take:
    /// it compares keys, and a key made of aliases of aliases has billions of parts.
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
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            let hint = problem.hasPrefix("block sequence entries") ? "; a lone - stands in quotes" : ""
            self.init(
                position: .init(line: mark.line, column: mark.column), option: "",
                message: "no YAML: \(problem)\(hint)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "`\(printable($0))`" }.joined(separator: ", ")
            self.init(
                position: .init(line: context.mark.line, column: context.mark.column), option: "",
                message: "the same key stands twice: \(names)")
        case .reader(let problem, _, _, _):
            self.init(position: nil, option: "", message: "no YAML: \(problem)")
        default:
            self.init(position: nil, option: "", message: "no YAML")
        }
    }
}
