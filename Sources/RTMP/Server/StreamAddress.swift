/// What a client asks for: a path, and the query with which it may authenticate.
///
/// Clients divide a URL differently. FFmpeg and GStreamer take the last element as the name of the stream and leave the name empty if the
/// path has only one; OBS and HaishinKit have a field for the URL and one for the name, the stream key; Larix divides at the last slash.
/// So the path is the application, a slash and the name. The query is at the end of either, and OBS may put another one into `tcUrl`.
public struct StreamAddress: Hashable, Sendable {
    /// With a slash at its beginning and none at its end, as the client sent it, which may be with percent encoding.
    public let path: String
    /// Without question marks, `&` between the parameters; empty if there is none.
    public let query: String

    public init(_ parameters: ConnectParameters, streamName: String) {
        let (app, appQuery) = Self.divided(parameters.app)
        let (name, nameQuery) = Self.divided(streamName)
        let (_, urlQuery) = Self.divided(parameters.tcURL)
        let elements = (app + "/" + name).split(separator: "/")
        path = "/" + elements.joined(separator: "/")
        let queries = [nameQuery, appQuery, urlQuery == appQuery ? "" : urlQuery]
        query = queries.map(Self.withoutCredentials).filter { !$0.isEmpty }.joined(separator: "&")
    }

    /// Leaves out what belongs to ``AdobeAuthentication``, whose `user` is not that of the query.
    private static func withoutCredentials(_ query: String) -> String {
        guard Parameters.first("authmod", in: query) != nil else { return query }
        let names = ["authmod", "user", "challenge", "response", "opaque"]
        return query.split(separator: "&").filter { part in !names.contains { part.hasPrefix($0 + "=") } }
            .joined(separator: "&")
    }

    /// The first value of a parameter, as it was sent.
    public func parameter(_ name: String) -> String? {
        Parameters.first(name, in: query)
    }

    /// A text before its query, and the query.
    static func divided(_ text: String) -> (String, query: String) {
        guard let mark = text.firstIndex(of: "?") else { return (text, "") }
        // FFmpeg and librtmp add `?authmod=…` to an application that has a query already.
        let query = text[text.index(after: mark)...].split(separator: "?").joined(separator: "&")
        return (String(text[..<mark]), query)
    }
}

/// The parameters of a query and of a reason for rejection: `name=value`, with `&` between them.
enum Parameters {
    static func first(_ name: String, in query: some StringProtocol) -> String? {
        for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
            return String(part.dropFirst(name.count + 1))
        }
        return nil
    }
}
