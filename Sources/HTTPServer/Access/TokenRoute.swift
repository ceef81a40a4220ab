import RTSP

extension Route {
    /// Tokens for URLs that are used where neither a password nor a cookie can be sent.
    public static var tokens: Self {
        Route(.path("/api/v1/tokens"), [.post], for: .named(.read), parameters: ["path"]) { $1.makeToken(for: $0) }
    }
}

/// A token for the URLs of one stream: the answer to `POST /api/v1/tokens`.
private struct URLToken: Encodable {
    let token: String
    /// When it ends, in milliseconds since 1970.
    let expires: Double

    /// How long a token admits new requests, in seconds. Enough to paste a URL; what has begun goes on.
    static let lifetimeSeconds = 60
}

extension RequestHandler {
    /// Answers `POST /api/v1/tokens?path=/cam`.
    func makeToken(for request: Request, _ number: UInt64) {
        guard current?.number == number else { return }
        guard let path = request.streamPath else {
            return refuse(Problem(.badRequest, "path: names the stream, as in ?path=/cam"))
        }
        guard let user = access.rights(of: request).user else {
            return refuse(Problem(.conflict, "a token has the rights of a user; send a user and a password"))
        }
        let seconds = URLToken.lifetimeSeconds
        guard let text = access.token(for: .watching(path), of: user, client: request.identity, lastingSeconds: seconds)
        else { return refuse(Problem(.forbidden, "only users of the configuration have tokens")) }
        let token = URLToken(token: text, expires: unixMilliseconds() + Double(seconds * 1000))
        respond(Response(headers: [("Content-Type", "application/json")], body: json(token)), to: number)
    }
}
