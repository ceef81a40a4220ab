/// The source of a path as users write it: `testcard`, `-`, `stream:cam`, or a path in the file system.
public enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
    case testCard
    case standardInput
    /// The frames and the audio of another path, encoded again.
    case substream(of: String)
    /// A file, a fifo or a device: this is determined when it is opened.
    case path(String)

    /// The source that `text` names; `nil` if it is empty.
    public init?(_ text: String) {
        switch text {
        case "": return nil
        case "testcard": self = .testCard
        case "-": self = .standardInput
        default:
            let parent = text.hasPrefix("stream:") ? text.dropFirst(7) : nil
            self = parent.map { .substream(of: String($0.drop { $0 == "/" })) } ?? .path(text)
        }
    }

    /// The name of the path of which this is a substream; `nil` for other sources.
    var parent: String? {
        guard case .substream(let parent) = self else { return nil }
        return parent
    }

    /// Why the source cannot be served if it is a URL; `nil` if it is not a URL.
    var urlProblem: String? {
        guard case .path(let path) = self, path.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil else {
            return nil
        }
        return
            "a URL cannot be a source yet; pipe it in: ffmpeg -i URL -an -c:v copy -bsf:v h264_mp4toannexb -f h264 - "
            + "| apus serve -"
    }

    public var description: String {
        switch self {
        case .testCard: "testcard"
        case .standardInput: "-"
        case .substream(let parent): "stream:\(parent)"
        case .path(let path): path
        }
    }
}
