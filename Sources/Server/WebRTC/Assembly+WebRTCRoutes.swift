import HTTPServer
import RTSP
import WebRTC
import WebRTCServer

extension Assembly {
    /// Where browsers begin to play and to publish (WHEP, WHIP), the resources of their sessions, and the addresses of go2rtc for both.
    func webRTCRoutes() -> [Route] {
        [
            Route(.stream("whep"), [.get, .post], for: .stream(.read), accepting: Self.offers) {
                [weak self] request, exchange in self?.signal(.playback, request, exchange)
            },
            Route(.stream("whip"), [.get, .post], for: .stream(.publish), accepting: Self.offers) {
                [weak self] request, exchange in self?.signal(.publishing, request, exchange)
            },
            Route(.path("/api/webrtc"), [.post], for: .sourceOrDestination, accepting: Self.offers) {
                [weak self] request, exchange in
                self?.signal(request.target.query["dst"] == nil ? .playback : .publishing, request, exchange)
            },
            // The name of a session is a secret that its client alone has.
            Route(
                .folder(Self.webRTCSessions), [.get, .patch, .delete], for: .everyone, parameters: [],
                accepting: [.patch: MediaType.trickleFragment.rawValue]
            ) { [weak self] request, exchange in
                guard let server = self?.webRTCServer else { return exchange.refuse(.noWebRTC) }
                let name = String(request.target.path.dropFirst(Self.webRTCSessions.utf8.count))
                server.receive(SignallingRequest(request), forSession: name) { exchange.respond(to: $0) }
            },
        ]
    }

    /// What sessions begin with.
    private static let offers = [HTTPServer.Request.Method.post: MediaType.sessionDescription.rawValue]
    /// The beginning of the addresses of sessions.
    private static let webRTCSessions = "/api/v1/webrtc/"

    /// Answers a request to an address at which sessions begin.
    private func signal(_ kind: SignallingKind, _ request: HTTPServer.Request, _ exchange: Exchange) {
        guard let server = webRTCServer else { return exchange.refuse(.noWebRTC) }
        switch SignallingEndpoint(kind).received(SignallingRequest(request)) {
        case .respond(let response): exchange.respond(to: response)
        case .open(let offer):
            guard let path = request.streamPath else {
                return exchange.refuse(Problem(.notFound, "there is no such stream"))
            }
            let client = SessionRequest.Client(
                endpoint: Endpoint(address: request.client.address, isLoopback: request.client.isLoopback),
                security: request.client.security,
                userAgent: request.client.userAgent.isEmpty ? nil : String(request.client.userAgent.prefix(200)),
                serverAddress: request.client.serverAddress)
            server.open(
                SessionRequest(kind, path, offer, request.grant, of: client, resource: Self.webRTCSessions)
            ) { exchange.respond(to: $0) }
        }
    }
}

extension SignallingRequest {
    fileprivate init(_ request: HTTPServer.Request) {
        self.init(
            method: request.method.rawValue, contentType: request.values(of: "Content-Type").first,
            ifMatch: request.values(of: "If-Match").first, body: request.body)
    }
}

extension Problem {
    fileprivate static let noWebRTC = Problem(
        .notFound, "this server does not serve WebRTC; see the option webrtc.serve")
}

extension Exchange {
    fileprivate func respond(to response: SignallingResponse) {
        var sent: HTTPServer.Response
        switch response.body {
        case .none: sent = HTTPServer.Response(HTTPServer.Response.Status(response.status))
        case .description(let text):
            sent = HTTPServer.Response(text, as: "application/sdp", HTTPServer.Response.Status(response.status))
        case .problem(let text): sent = Problem(HTTPServer.Response.Status(response.status), text).response
        }
        // The type of a body is there already; a response to HEAD has none.
        for header in response.headers where response.body == .none || header.name != "Content-Type" {
            sent.headers.append((header.name, header.value))
        }
        respond(sent)
    }
}
