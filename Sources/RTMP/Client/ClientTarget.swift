/// A stream on another server.
public struct ClientTarget: Hashable, Sendable {
    /// What a client sends in `connect`: the path without its last element, without slashes at its ends. A path of one element is all
    /// application, and so is the query behind it, as in FFmpeg.
    public let app: String
    /// The last element of the path, with the query. Services call it the stream key.
    public let streamName: String
    /// The URL of the application, without user and password.
    public let tcURL: String
    public let action: Action

    public enum Action: Hashable, Sendable {
        case publish
        case play
    }

    /// - Parameters:
    ///   - server: scheme, host and, if needed, port: `rtmps://live.example.com:443`.
    ///   - path: as in the URL, with percent encoding.
    ///   - query: without question mark; empty if there is none.
    public init(_ action: Action, server: String, path: String, query: String = "") {
        var elements = path.split(separator: "/").map(String.init)
        let suffix = query.isEmpty ? "" : "?\(query)"
        if elements.count > 1 {
            streamName = elements.removeLast() + suffix
            app = elements.joined(separator: "/")
        } else {
            (app, streamName) = (elements.joined() + suffix, "")
        }
        tcURL = "\(server)/\(app)"
        self.action = action
    }
}
