import HTTP
import NIOHTTP1
import RTSP
import Reactor

/// What a request names, and whether it may: each check answers with an error, or with what has been found.
extension RequestHandler {
    /// The right that the query names; `nil` if it names none.
    static func namedRight(_ target: RequestTarget) throws(Problem) -> Right? {
        guard let name = target.query["right"] else { return nil }
        guard let right = Right(rawValue: name) else {
            throw Problem(.badRequest, "right: is read, publish, control or status")
        }
        return right
    }

    /// The path of the stream that the query names; `nil` if it names none.
    static func namedPath(_ target: RequestTarget) throws(Problem) -> String? {
        guard let path = target.query["path"] else { return nil }
        guard path.hasPrefix("/") else {
            throw Problem(.badRequest, "path: is the path of a stream with its leading slash, such as /cam")
        }
        return path
    }

    /// The path of the stream that the query names as go2rtc does, with or without its leading slash.
    static func sourcePath(_ target: RequestTarget, named parameter: String = "src") throws(Problem) -> String {
        guard let name = target.query[parameter], !name.isEmpty else {
            throw Problem(.badRequest, "\(parameter): names the stream, as in ?\(parameter)=cam")
        }
        return name.hasPrefix("/") ? name : "/" + name
    }

    /// What the request calls this server, which must be one of its names.
    func host(of head: HTTPRequestHead, _ target: RequestTarget) throws(Problem) -> Authority {
        // HTTP/1.0 knows no `Host`; then the client has only an address.
        let text = head.headers.first(name: "Host") ?? connection.local.bracketedHost
        // Most requests of a connection have the same host, which has been checked.
        if target.authority == nil, let last = connection.lastHost, last.text == text { return last.host }
        let named = target.authority ?? Authority(text)
        guard let named else { throw Problem(.badRequest, "the header Host is malformed") }
        guard server.hosts.contains(named, connectedTo: IPAddress(connection.local.host)) else {
            server.log.log(
                .refusedHost, .notice, "request refused: unknown host name", peer: connection.peer.description,
                reason: "the client calls this server \(named.host); if that is right, add the name to http.hosts")
            throw Problem(
                .misdirectedRequest,
                "this server does not know itself as \(named.host); if it should, add the name to the option http.hosts"
            )
        }
        if target.authority == nil { connection.lastHost = (text, named) }
        return named
    }

    /// Which client the request comes from.
    func client(of head: HTTPRequestHead, _ host: Authority) -> ClientIdentity {
        let forwarding = Forwarding(head.headers)
        // Most requests of a connection are of the same client.
        if !forwarding.isMentioned, let last = connection.lastClient, last.host == host { return last.client }
        let client = ClientIdentity(
            peer: connection.peer, security: connection.security, host: host, forwarding: forwarding,
            trustedProxies: server.options.trustedProxies)
        if !forwarding.isMentioned { connection.lastClient = (host, client) }
        return client
    }

    /// - Returns: no route for the path if the method is OPTIONS, which has none.
    func route(to target: RequestTarget, _ method: Request.Method?) throws(Problem) -> (Route?, String?) {
        switch server.router.match(target.path, method) {
        case .route(let route, let streamPath): return (route, streamPath)
        case .nothing: return (nil, nil)
        case .methods where method == .options: return (nil, nil)
        case .methods(let allowed):
            throw Problem(
                .methodNotAllowed, "the methods of this path are \(allowed.methodList)",
                headers: [.init(name: "Allow", value: allowed.methodList)])
        }
    }

    /// - Returns: whether the request comes from the page of another server that may use this one.
    func checkOrigin(
        _ head: HTTPRequestHead, _ host: Authority, _ client: ClientIdentity, isSafe: Bool
    ) throws(Problem) -> Bool {
        let check = OriginCheck(allowed: server.options.origins)
        switch check.verdict(head.headers, host: host, isSecure: client.security == .tls) {
        case .own: return false
        case .permitted(let origin):
            current?.crossOrigin = [
                ("Access-Control-Allow-Origin", "\(origin)"), ("Access-Control-Allow-Credentials", "true"),
                ("Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After"),
                ("Vary", "Origin"),
            ]
            return true
        case .refused where isSafe: return false
        case .refused:
            throw Problem(
                .forbidden, "a page of another server may not do this; see the option http.origins")
        }
    }
}

extension Forwarding {
    fileprivate init(_ headers: HTTPHeaders) {
        self.init(
            forwarded: headers["Forwarded"], xForwardedFor: headers["X-Forwarded-For"],
            xForwardedProto: headers["X-Forwarded-Proto"], via: headers["Via"])
    }
}
