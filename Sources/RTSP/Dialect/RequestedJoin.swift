/// The join mode that a client requests by the parameter `join` in its URL: `rtsp://host/cam?join=keyframe`.
///
/// ffmpeg and live555 keep the query in the URLs of SETUP and PLAY. GStreamer resolves the control attribute by RFC 3986,
/// which drops the query. So a request without the parameter uses that of the preceding DESCRIBE on its connection.
public enum RequestedJoin: String, Hashable, Sendable, CaseIterable {
    /// Starts at the next keyframe, with unchanged timestamps: for recordings.
    case keyframe
    /// Starts with the frames since the last keyframe, with compressed timestamps: for players.
    case fast

    private static let parameter = "join="

    /// Reads the first `join` parameter of `query`; `nil` if the query has none.
    ///
    /// The comparison ignores case, because VLC's SAT>IP client sends its URL in lower case. The configuration's values `auto` and
    /// `fastStart`, and its former value `prelude`, mean the same as `fast`.
    ///
    /// - Throws: 400 for any other value, because a recorder that misspells it would not notice until the recording is played.
    public init?(query: String?) throws(Refusal) {
        let parameters = query?.split(separator: "&") ?? []
        guard let found = parameters.first(where: { $0.hasPrefixIgnoringCase(Self.parameter) }) else { return nil }
        let value = found.dropFirst(Self.parameter.count).lowercased()
        switch value {
        case "keyframe": self = .keyframe
        case "fast", "auto", "faststart", "prelude": self = .fast
        default: throw Refusal(.badRequest, reason: "Bad Request: join is keyframe or fast")
        }
    }
}
