import RTSP

/// A stream that is watched over HTTP, or over a WebSocket, and how it is requested.
public struct HTTPStream: Sendable {
    /// The URL without user and password, for reports.
    public let url: String
    /// A name or an address; an IPv6 address without brackets.
    public let host: String
    public let port: Int
    /// The request's path and query, still encoded: `/cam/index.mp4?audio=0`.
    public let target: String
    public var format = Format.file
    /// The credentials for the server's challenge; `nil` without a password.
    public var login: ClientLogin?

    /// What a viewer requests.
    public enum Format: Hashable, Sendable {
        /// An endless MP4 file.
        case file
        /// The same fragments as messages of a WebSocket.
        case webSocket
        /// Playlists of HLS, and what they list.
        case hls(Playback)
    }

    /// How a viewer of HLS plays.
    public enum Playback: Hashable, Sendable {
        /// Parts, which are requested before they are there.
        case lowLatency
        /// Whole segments.
        case segments
    }

    public init(url: String, host: String, port: Int, target: String) {
        (self.url, self.host, self.port, self.target) = (url, host, port, target)
    }

    /// The value of `Host`.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
