import Media
import Muxing
import RTMPClient
import RTSP
import SRT

/// The source of a path as users write it: `testcard`, `-`, `publish`, `stream:cam`, `track:yard/1`, a URL, or a path in the
/// file system.
public enum SourceSpecification: Hashable, Sendable, CustomStringConvertible {
    case testCard
    case standardInput
    /// Clients publish the stream, over RTSP, RTMP or SRT.
    case publish
    /// The frames and the audio of another path, encoded again.
    case substream(of: String)
    /// A video track, beside the main one, of what clients publish to another path.
    case track(of: String, TrackNumber)
    /// The stream of another server, by its `rtsp` or `rtsps` URL. The text may contain a password.
    case pulled(RequestURL, text: String)
    /// The stream of another server, by its `rtmp` or `rtmps` URL. The text may contain a password.
    case pulledRTMP(RTMPURL, text: String)
    /// The stream of an SRT server, by its `srt` URL. The text may contain a password.
    case pulledSRT(SRTURL, text: String)
    /// A stream or a recording at a URL whose format FFmpeg reads, such as `http://` and `udp://`. The text may contain a password.
    case url(String)
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
            } else if let url = RTMPURL(text) {
                self = .pulledRTMP(url, text: text)
            } else if let url = try? SRTURL(text) {
                self = .pulledSRT(url, text: text)
            } else if text.hasPrefix("stream:") {
                self = .substream(of: String(text.dropFirst(7).drop { $0 == "/" }))
            } else if let track = text.firstMatch(of: /^track:\/*(.+)\/([0-9]+)$/)?.output,
                let number = UInt8(track.2).map(TrackNumber.init), number > .main
            {
                self = .track(of: String(track.1), number)
            } else if text.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil {
                self = .url(text)
            } else {
                self = .path(text)
            }
        }
    }

    /// The name of the path of which this is a substream; `nil` for other sources.
    var parent: String? {
        switch self {
        case .substream(let parent), .track(let parent, _): parent
        default: nil
        }
    }

    /// What is wrong with the text of a URL or a track; `nil` if nothing is.
    var spellingProblem: String? {
        if case .path(let path) = self, path.hasPrefix("track:") {
            return
                "this is not a track of a publisher; write track:PATH/NUMBER with a number from 1 to 255, such as track:yard/1"
        }
        guard case .url(let url) = self else { return nil }
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme == "rtmp" || scheme == "rtmps" { return "this is not a valid RTMP URL; write rtmp://HOST/APP/NAME" }
        if scheme == "rtsp" || scheme == "rtsps" { return "this is not a valid RTSP URL; write rtsp://HOST/PATH" }
        if scheme == "udp" {
            do throws(DatagramURLError) { _ = try DatagramURL(url) } catch {
                return "this is not a valid UDP URL: \(error)"
            }
        }
        if scheme == "srt" {
            do throws(SRTURLError) { _ = try SRTURL(url) } catch { return "this is not a valid SRT URL: \(error)" }
        }
        // A file is opened as a file, so that its name may contain any character.
        return scheme == "file" ? "write the path of the file without file://" : nil
    }

    /// Whether it is a URL with a password.
    public var hasPassword: Bool {
        switch self {
        case .pulled(let url, _): url.userInformation?.password != nil
        case .pulledRTMP(let url, _): url.hasPassword
        case .pulledSRT(let url, _): url.hasSecret
        // The address in front of a multicast group is that of its source, not a user.
        case .url(let url): !DemuxerInput.isDatagrams(url) && UserInformation.removed(from: url) != url
        default: false
        }
    }

    /// The source as it is written, with the password of a URL.
    var text: String {
        switch self {
        case .pulled(_, let text), .pulledRTMP(_, let text), .pulledSRT(_, let text), .url(let text), .path(let text):
            text
        case .testCard, .standardInput, .publish, .substream, .track: description
        }
    }

    /// For people: a URL without user and password.
    public var description: String {
        switch self {
        case .pulled(let url, _): url.text
        case .pulledRTMP(let url, _): url.label
        case .pulledSRT(let url, _): url.description
        case .testCard: "testcard"
        case .standardInput: "-"
        case .publish: "publish"
        case .substream(let parent): "stream:\(parent)"
        case .track(let parent, let number): "track:\(parent)/\(number)"
        case .url(let url): withoutCredentials(url)
        case .path(let path): path
        }
    }
}

/// The text without the user and the password of a URL in it, also of an invalid one, and without its query, in which cameras
/// take passwords too. An RTMP URL also loses the last element of a path of several, which is a stream key.
func withoutCredentials(_ text: String) -> String {
    // Names of files may contain an `@`.
    guard text.contains("://") else { return text }
    var text = text
    if let key = text.firstMatch(of: /[Rr][Tt][Mm][Pp][Ss]?:\/\/[^\/]*\/[^?]*\/([^?\/"']+)/)?.output.1 {
        text.replaceSubrange(key.startIndex..<key.endIndex, with: "…")
    }
    let shown = UserInformation.removed(from: text)
    return shown.firstIndex(of: "?").map { shown[..<$0] + "?…" } ?? shown
}
