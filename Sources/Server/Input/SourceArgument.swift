import Streams

/// A SOURCE on the command line: `testcard`, a file, a device, `-`, or `name=` one of them.
public struct SourceArgument: Hashable, Sendable {
    /// As given before the `=`; `nil` where there was none.
    public let name: String?
    public let source: SourceSpecification

    /// Why an argument cannot be used, in one sentence.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// A file whose own name holds a `=` is written with its folder: `./a=b.mp4`.
    public init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isNamed = parts.count == 2 && !parts[0].contains("/")
        let (name, rest) = isNamed ? (parts[0], parts[1]) : (nil, text)
        if let name, !isPathName(name) {
            throw Refusal(
                description: "`\(name)` in `\(text)` cannot be a stream's name: "
                    + "it takes letters, digits, `-`, `_` and `.`")
        }
        guard isLine(rest, maximumBytes: 4096), let source = SourceSpecification(rest) else {
            throw Refusal(description: "`\(text)` names no source: write testcard, a file, a device, or -")
        }
        if let problem = source.urlProblem { throw Refusal(description: problem) }
        self.name = name
        self.source = source
    }

    /// The paths that `arguments` stand for, with the other settings of `model`.
    ///
    /// A lone source without a name is `cam`; several go by their files' names.
    public static func paths(
        _ arguments: [Self], like model: Configuration.Path = .init()
    ) throws(Refusal) -> [String: Configuration.Path] {
        var paths: [String: Configuration.Path] = [:]
        for argument in arguments {
            let name = argument.name ?? (arguments.count == 1 ? "cam" : argument.source.stem)
            guard paths[name] == nil else {
                throw Refusal(
                    description: "two sources would be /\(name): give one a name, as in other=\(argument.source)")
            }
            var path = model
            path.source = argument.source
            paths[name] = path
        }
        guard arguments.count(where: { $0.source == .standardInput }) <= 1 else {
            throw Refusal(description: "standard input can feed one stream only, and - is there twice")
        }
        return paths
    }
}

extension SourceSpecification {
    /// The name by which it goes among several: a file's without folder and extension.
    var stem: String {
        switch self {
        case .testCard: return "testcard"
        case .standardInput: return "stdin"
        case .substream(let parent):
            return (parent.split(separator: "/").last.map(String.init) ?? parent) + "-sub"
        case .path(let path):
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let stem = file.lastIndex(of: ".").map { $0 == file.startIndex ? file : String(file[..<$0]) } ?? file
            let letters = stem.prefix(64).map { isPathName(String($0)) || $0 == "." ? String($0) : "-" }.joined()
            return isPathName(letters) ? letters : "stream"
        }
    }
}

extension SourceArgument {
    /// A lone file that does not exist is a slip of the pen; among several, or later, it may still appear.
    public static func refuseLoneMissingFile(_ arguments: [Self]) throws(Refusal) {
        guard arguments.count == 1, case .path(let path) = arguments[0].source else { return }
        do throws(SourceFailure) {
            _ = try InputKind(of: path)
        } catch {
            throw Refusal(description: error.reason + (error.remedy.isEmpty ? "" : "; \(error.remedy)"))
        }
    }
}
