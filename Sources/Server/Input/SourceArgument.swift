import SRT
import Streams

/// A SOURCE on the command line: `testcard`, a file, a device, an RTSP URL, `-`, or `name=` one of them.
public struct SourceArgument: Hashable, Sendable {
    /// The text before the `=`; `nil` without one.
    public let name: String?
    public let source: SourceSpecification

    /// Why an argument cannot be used, in one sentence.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// A file name that contains a `=` must be written with its folder: `./a=b.mp4`.
    public init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isNamed = parts.count == 2 && !parts[0].contains("/")
        let (name, rest) = isNamed ? (parts[0], parts[1]) : (nil, text)
        if let name, !isPathName(name) {
            throw Refusal(
                description:
                    "`\(name)` in `\(withoutCredentials(text))` cannot be the name of a stream; use letters, digits, `-`, `_` and `.`"
            )
        }
        guard isLine(rest, maximumBytes: 4096), let source = SourceSpecification(rest) else {
            throw Refusal(
                description:
                    "`\(withoutCredentials(text))` is not a source; write testcard, a file, a device, an rtsp:// URL, or -"
            )
        }
        if let problem = source.spellingProblem { throw Refusal(description: problem) }
        self.name = name
        self.source = source
    }

    /// The paths for `arguments`, with the other settings of `model`.
    ///
    /// A single source without a name is `cam`; several are named after their files.
    public static func paths(
        _ arguments: [Self], like model: Configuration.Path = .init()
    ) throws(Refusal) -> [String: Configuration.Path] {
        var paths: [String: Configuration.Path] = [:]
        for argument in arguments {
            let name = argument.name ?? (arguments.count == 1 ? "cam" : argument.source.stem)
            guard paths[name] == nil else {
                throw Refusal(
                    description:
                        "two sources have the name /\(name); give one another name, such as other=\(argument.source)")
            }
            var path = model
            path.source = argument.source
            paths[name] = path
        }
        guard arguments.count(where: { $0.source == .standardInput }) <= 1 else {
            throw Refusal(description: "standard input can be the source of one stream only, but - is given twice")
        }
        return paths
    }
}

extension SourceSpecification {
    /// The name of its path if there are several sources; for a file, its name without folder and extension.
    var stem: String {
        switch self {
        case .testCard: return "testcard"
        case .standardInput: return "stdin"
        case .publish: return "live"
        case .substream(let parent):
            return (parent.split(separator: "/").last.map(String.init) ?? parent) + "-sub"
        case .track(let parent, let number):
            return (parent.split(separator: "/").last.map(String.init) ?? parent) + "-track\(number)"
        case .pulled(let url, _):
            return SourceSpecification.path(url.path == "/" ? url.host : url.path).stem
        case .pulledRTMP(let url, _):
            return SourceSpecification.path(url.text.replacing(/\?.*/, with: "")).stem
        case .pulledSRT(let url, _):
            let path = (try? SRTStreamID(parsing: url.streamID.utf8))?.path
            return SourceSpecification.path(path ?? url.host).stem
        case .url(let url):
            return SourceSpecification.path(withoutCredentials(url).replacing("?…", with: "")).stem
        case .path(let path):
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let stem = file.lastIndex(of: ".").map { $0 == file.startIndex ? file : String(file[..<$0]) } ?? file
            let letters = stem.prefix(64).map { isPathName(String($0)) || $0 == "." ? String($0) : "-" }.joined()
            return isPathName(letters) ? letters : "stream"
        }
    }
}

extension SourceArgument {
    /// Throws if the only source is a file that does not exist, which is probably mistyped. One of several files may appear later.
    public static func refuseLoneMissingFile(_ arguments: [Self]) throws(Refusal) {
        guard arguments.count == 1, case .path(let path) = arguments[0].source else { return }
        do throws(SourceFailure) {
            _ = try InputKind(of: path)
        } catch {
            throw Refusal(description: error.reason + (error.remedy.isEmpty ? "" : "; \(error.remedy)"))
        }
    }
}
