import RTMPClient
import RTSP
import SRT

/// The URL to which a stream is forwarded. Its scheme names the protocol: each protocol has a case here, and its schemes in
/// ``init(_:)``.
public enum ForwardDestination: Hashable, Sendable, CustomStringConvertible {
    /// Published over RTSP, by the `rtsp` or `rtsps` URL. The text may contain a password.
    case rtsp(RequestURL, text: String)
    /// Published over RTMP, by the `rtmp` or `rtmps` URL. The text may contain a password, and its last element is the stream key.
    case rtmp(RTMPURL, text: String)
    /// Sent over SRT, by the `srt` URL. The stream id may contain a password.
    case srt(SRTURL, text: String)

    /// Why a text names no destination. It never contains the text, which may have a password.
    struct Problem: Error, Hashable {
        let message: String
    }

    /// The destination of an entry before its URL is read, and in the reference file.
    static let example: Self = {
        guard let example = try? Self("rtsp://192.0.2.7/cam") else { preconditionFailure("the example is a URL") }
        return example
    }()

    private static let expectation = "expects a URL such as rtsp://HOST/PATH, rtmp://HOST/APP/KEY or srt://HOST:PORT"

    init(_ text: String) throws(Problem) {
        guard isLine(text, maximumBytes: 4_096),
            let scheme = text.firstMatch(of: /^([A-Za-z][A-Za-z0-9+.-]*):\/\//)?.output.1
        else { throw Problem(message: Self.expectation) }
        switch scheme.lowercased() {
        case "rtsp", "rtsps":
            guard let url = RequestURL(text) else {
                throw Problem(message: "this is not a valid RTSP URL; write rtsp://HOST/PATH")
            }
            self = .rtsp(url, text: text)
        case "rtmp", "rtmps":
            guard let url = RTMPURL(text) else {
                throw Problem(message: "this is not a valid RTMP URL; write rtmp://HOST/APP/KEY")
            }
            self = .rtmp(url, text: text)
        case "srt":
            do throws(SRTURLError) {
                self = .srt(try SRTURL(text), text: text)
            } catch {
                throw Problem(message: "this is not a valid SRT URL: \(error)")
            }
        case let other:
            throw Problem(
                message: "cannot forward to \(other)://; the supported schemes are rtsp, rtsps, rtmp, rtmps and srt")
        }
    }

    /// The URL as it is written, with a password.
    var text: String {
        switch self {
        case .rtsp(_, let text), .rtmp(_, let text), .srt(_, let text): text
        }
    }

    /// The URL without user, password and stream key.
    public var description: String {
        switch self {
        case .rtsp(let url, _): url.text
        case .rtmp(let url, _): url.labelWithoutName
        case .srt(let url, _): url.description
        }
    }

    /// The URL without user and password: two forwards to the same place would be two publishers of one path.
    var place: String {
        switch self {
        case .rtsp(let url, _): url.text
        case .rtmp(let url, _): url.text
        // Never shown.
        case .srt(let url, _): "\(url)?\(url.streamID)"
        }
    }

    /// Whether the connection is encrypted by TLS.
    var isSecure: Bool {
        switch self {
        case .rtsp(let url, _): url.isSecure
        case .rtmp(let url, _): url.isSecure
        case .srt: false
        }
    }

    /// Whether media can be sent over UDP.
    var takesDatagrams: Bool {
        switch self {
        case .rtsp(let url, _): !url.isSecure
        case .rtmp, .srt: false
        }
    }

    /// Whether the path or query of the URL has a star, and nothing before it has one.
    var hasPlaceholder: Bool {
        guard let authority = text.firstMatch(of: /^[^:]*:\/\/[^\/?]*/)?.output else { return false }
        return !authority.contains("*") && text.dropFirst(authority.count).contains("*")
    }

    /// The destination of one path of a pattern: stars of the URL become `part`, the part of the path's name that the pattern's star
    /// stands for. The host never depends on it.
    func replacingPlaceholder(by part: String) -> Self? {
        guard hasPlaceholder else { return self }
        return try? Self(text.replacing("*", with: part))
    }
}
