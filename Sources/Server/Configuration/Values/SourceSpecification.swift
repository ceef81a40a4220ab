import RTSP

/// The source of a path as users write it: `testcard`, `-`, `publish`, `stream:cam`, an RTSP URL, or a path in the file system.
public enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
    case testCard
    case standardInput
    /// Clients publish the stream over RTSP.
    case publish
    /// The frames and the audio of another path, encoded again.
    case substream(of: String)
    /// The stream of another server, by its `rtsp` or `rtsps` URL. The text may contain a password.
    case pulled(RequestURL, text: String)
    /// A file, a fifo or a device: this is determined when it is opened.
    case path(String)

    /// The source that `text` names; `nil` if it is empty.
    public init?(_ text: String) {
        switch text {
        case "": return nil
        case "testcard": self = .testCard
        case "-": self = .standardInput
        case "publish": self = .publish
        default:
            if ["rtsp://", "rtsps://"].contains(where: text.lowercased().hasPrefix), let url = RequestURL(text) {
                self = .pulled(url, text: text)
            } else if text.hasPrefix("stream:") {
                self = .substream(of: String(text.dropFirst(7).drop { $0 == "/" }))
            } else {
                self = .path(text)
            }
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
        if ["rtsp://", "rtsps://"].contains(where: path.lowercased().hasPrefix) {
            return "this is not a valid RTSP URL; write rtsp://HOST/PATH"
        }
        return
            "only rtsp:// and rtsps:// URLs can be sources yet; pipe others in: ffmpeg -i URL -an -c:v copy -bsf:v h264_mp4toannexb "
            + "-f h264 - | apus serve -"
    }

    /// Whether it is a URL with a password.
    public var hasPassword: Bool {
        guard case .pulled(let url, _) = self else { return false }
        return url.userInformation?.password != nil
    }

    /// The source as it is written, with the password of a URL.
    var text: String {
        switch self {
        case .pulled(_, let text), .path(let text): text
        case .testCard, .standardInput, .publish, .substream: description
        }
    }

    /// For people: a URL without user and password.
    public var description: String {
        switch self {
        case .pulled(let url, _): url.text
        case .testCard: "testcard"
        case .standardInput: "-"
        case .publish: "publish"
        case .substream(let parent): "stream:\(parent)"
        case .path(let path): withoutCredentials(path)
        }
    }
}

/// The text without the user and the password of a URL in it, also of an invalid one.
func withoutCredentials(_ text: String) -> String {
    // Names of files may contain an `@`.
    text.contains("://") ? UserInformation.removed(from: text) : text
}
