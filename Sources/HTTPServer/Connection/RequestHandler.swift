import HTTP
import Media
import NIOCore
import NIOHTTP1
import RTSP
import Reactor

/// Answers the requests of one HTTP/1.1 connection, one after the other, or that of one HTTP/2 stream: it checks host, origin and
/// access, and calls the route. Confined to the event loop.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let server: ServerContext
    let gate: any HTTPGate
    let connection: ConnectionFacts
    let access: AccessControl
    private(set) var context: ChannelHandlerContext?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The request that is answered now.
    var current: CurrentRequest?
    /// The live body that is the response to it.
    var watching: Watching?
    private var lastNumber: UInt64 = 0
    /// The response without end that the connection sends.
    var endless: EndlessResponse?

    /// A request from its end to the end of its response.
    struct CurrentRequest {
        let number: UInt64
        /// The version of the access policy before the request was authorised.
        let accessVersion: UInt64
        /// Whether the response has no body.
        var isHead = false
        /// Whether its client knows no chunks.
        var isHTTP10 = false
        var keepsConnection = false
        /// `Range` of a GET request.
        var ranges: [String] = []
        /// The cookie of a session that begins.
        var cookie: String?
        /// The headers of the response that the page of another server needs.
        var crossOrigin: [(String, String)] = []
    }

    /// - Parameter access: authorises all requests of the connection.
    init(_ server: ServerContext, gate: any HTTPGate, _ connection: ConnectionFacts, _ access: AccessControl) {
        (self.server, self.gate, self.connection, self.access) = (server, gate, connection, access)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        endless.take()?.end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        bodyWasLeft()
        current = nil
        endless.take()?.end()
        self.context = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let bytes): body += bytes.readableBytesView
        case .end:
            guard let head = head.take() else { return }
            begin()
            current?.isHead = head.method == .HEAD
            current?.isHTTP10 = head.version == .http1_0
            current?.keepsConnection = head.isKeepAlive && !head.headers.contains(name: "Upgrade")
            do throws(Problem) {
                try answer(head)
            } catch {
                refuse(error)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case GateEvent.refused(let failure):
            server.log.debug("request refused", peer: connection.peer.description, reason: failure.description)
            begin()
            refuse(Problem(failure))
        case GateEvent.tooSlow:
            begin()
            refuse(Problem(.requestTimeout, "the request did not arrive in time"))
        case GateEvent.clientLeft:
            // A client that waits for the end of a body without end has gone.
            if watching != nil {
                bodyWasLeft()
                abortBody()
            }
            if endless != nil { context.close(promise: nil) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            bodyMayContinue()
            endless?.proceed()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is HTTPParserError:
            // The gate has accepted the request, and the parser does not.
            if current == nil { begin() }
            refuse(Problem(.badRequest, "the request is malformed"))
        default:
            // The peer has reset the connection, for example.
            context.close(promise: nil)
        }
    }

    // MARK: Requests

    private func begin() {
        lastNumber += 1
        current = CurrentRequest(number: lastNumber, accessVersion: server.services.access.version)
    }

    /// Checks a request in the order of what it may learn: the form, the name of the server, the address, the route, the page that
    /// sends it, and the rights of its client.
    private func answer(_ head: HTTPRequestHead) throws(Problem) {
        guard let target = RequestTarget(head.uri) else { throw Problem(.badRequest, "the URL is malformed") }
        let host = try host(of: head, target)
        let client = client(of: head, host)
        guard access.admits(client) else { throw Problem(.forbidden, "this address may not connect") }
        let method = Request.Method(rawValue: head.method.rawValue)
        let (route, streamPath) = try route(to: target, method)
        let isSafe = method?.isSafe ?? true && route?.isWebSocket != true
        let isPermitted = try checkOrigin(head, host, client, isSafe: isSafe)
        guard let route, let method else {
            if head.method == .OPTIONS { return respondToOptions(target, isPermitted) }
            throw Problem(.notFound, "there is nothing at this path")
        }
        if method == .get { current?.ranges = head.headers["Range"] }
        let (right, path): (Right, String?)
        switch route.access {
        case .everyone: return run(route, head, target, method, client, streamPath: streamPath, grant: .everything)
        case .page where client.security == .tls:
            return run(route, head, target, method, client, streamPath: streamPath, grant: .everything)
        case .page: (right, path) = (.read, target.query["token"] == nil ? nil : streamPath)
        case .query:
            guard let needed = try Self.namedRight(target) else {
                return run(route, head, target, method, client, streamPath: streamPath, grant: .everything)
            }
            (right, path) = (needed, nil)
        case .server(let needed): (right, path) = (needed, nil)
        case .stream(let needed): (right, path) = (needed, streamPath)
        case .playback:
            if let address = PlaybackAddress(target.path),
                let grant = try server.playbacks.sessions.grant(
                    of: address.label, watching: address.streamPath, by: client, server)
            {
                return run(route, head, target, method, client, streamPath: streamPath, grant: grant)
            }
            (right, path) = (.read, streamPath)
        case .named(let needed): (right, path) = (needed, try Self.namedPath(target))
        case .source(let needed): (right, path) = (needed, try Self.sourcePath(target))
        case .sourceOrDestination:
            (right, path) =
                target.query["dst"] == nil
                ? (.read, try Self.sourcePath(target)) : (.publish, try Self.sourcePath(target, named: "dst"))
        }
        let question = AccessControl.Question(
            client: client, right: right, path: path, method: head.method.rawValue, target: target,
            headers: head.headers)
        proceed(access.authorise(question), question) { [self] grant in
            run(route, head, target, method, client, streamPath: path, grant: grant)
        }
    }

    // MARK: Access

    /// Continues with a request when it is authorised.
    private func proceed(
        _ outcome: AccessControl.Outcome, _ question: AccessControl.Question, _ granted: @escaping (Grant) -> Void
    ) {
        switch outcome {
        case .granted(let grant): granted(grant)
        case .refused(let problem, let failure): refuse(problem, because: failure, question.client)
        case .undecided(let request):
            guard let context, let number = current?.number else { return }
            let bound = NIOLoopBound(
                (handler: self, question: question, granted: granted), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            server.services.decide(request, for: connection.name) { decision in
                loop.execute {
                    let (handler, question, granted) = bound.value
                    guard handler.current?.number == number else { return }
                    handler.proceed(
                        handler.access.decided(decision, about: request, for: question), question, granted)
                }
            }
        }
    }

    /// Refuses a request that is not authorised: a wrong password after a delay, so that guessing takes time.
    func refuse(_ problem: Problem, because failure: AccessFailure, _ client: ClientIdentity) {
        log(failure, of: client.name)
        guard failure.countsAsGuess, let context, let number = current?.number else { return refuse(problem) }
        let delay = TimeAmount.milliseconds(Int64(access.guessDelayMilliseconds))
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in
            if current?.number == number { refuse(problem) }
        }
    }

    private func log(_ failure: AccessFailure, of client: String) {
        switch failure {
        // Clients send a request without credentials first, and a lock-out has been logged already.
        case .noCredentials, .staleNonce, .lockedOut, .invalidToken, .deniedExternally(countsAsGuess: false):
            server.log.debug("request refused", peer: client, reason: "\(failure)")
        default:
            server.log.log(.refusedAccess, .notice, "refused", peer: client, reason: "\(failure)")
        }
    }

    // MARK: Responses

    private func run(
        _ route: Route, _ head: HTTPRequestHead, _ target: RequestTarget, _ method: Request.Method,
        _ client: ClientIdentity, streamPath: String?, grant: Grant
    ) {
        guard let context, let current else { return }
        do throws(Problem) {
            try route.checkParameters(target.query)
        } catch {
            return refuse(error)
        }
        let request = Request(
            method: method, target: target, body: body,
            client: Client(
                address: client.endpoint.address, peer: client.name, security: client.security,
                userAgent: head.headers.first(name: "User-Agent") ?? "", isLoopback: client.endpoint.isLoopback,
                serverAddress: connection.local.host),
            streamPath: streamPath, grant: grant, headers: head.headers, identity: client)
        body = []
        if route.access == .page { beginSession(of: request) }
        route.answer(request, Exchange(current.number, of: self, on: context.eventLoop))
    }

    /// Gives the page a cookie if its user has sent a password, because browsers send no password with a WebSocket.
    private func beginSession(of request: Request) {
        guard request.headers.contains(name: "Authorization"), let user = request.grant.user,
            let cookie = access.sessionCookie(of: user, request.identity)
        else { return }
        current?.cookie = cookie
    }

    /// Answers OPTIONS, also as the preflight request of a page of another server (CORS).
    private func respondToOptions(_ target: RequestTarget, _ isPermitted: Bool) {
        guard case .methods(let allowed) = server.router.match(target.path, nil) else {
            return refuse(Problem(.notFound, "there is nothing at this path"))
        }
        var response = Response(.noContent, headers: allowed.headers)
        if isPermitted {
            response.headers += [
                ("Access-Control-Allow-Methods", allowed.methodList),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Range"),
                ("Access-Control-Max-Age", "600"),
            ]
        }
        send(response)
    }

    /// Sends the response to the request `number`, if it is still to be answered.
    func respond(_ response: Response, to number: UInt64) {
        if current?.number == number { send(response) }
    }

    func refuse(_ problem: Problem) { send(problem.response) }

    private func send(_ response: Response) {
        guard let context, let current = current.take() else { return }
        let response = current.ranges.isEmpty ? response : response.part(current.ranges)
        let keepsConnection = current.keepsConnection && response.status.code < 500
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status.code))
        head.headers = headers(of: response)
        for (name, value) in current.crossOrigin { head.headers.add(name: name, value: value) }
        if let cookie = current.cookie { head.headers.add(name: "Set-Cookie", value: cookie) }
        if !keepsConnection, !gate.isMultiplexed { head.headers.add(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !current.isHead {
            let body = response.shared ?? context.channel.allocator.buffer(bytes: response.body)
            if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        if let charge = response.charge { sent.futureResult.whenComplete { _ in withExtendedLifetime(charge) {} } }
        sent.futureResult.assumeIsolated().whenSuccess { [gate] in
            gate.responseWasSent(keepsConnection: keepsConnection)
        }
        gate.responseIsComplete()
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    /// - Parameter hasLength: whether the whole body is known.
    func headers(of response: Response, hasLength: Bool = true) -> HTTPHeaders {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        for (name, value) in SecurityHeaders.all(isOpenToPages: !server.options.origins.isEmpty)
        where !headers.contains(name: name) {
            headers.add(name: name, value: value)
        }
        headers.add(name: "Server", value: server.options.serverName)
        headers.add(name: "Date", value: server.date.text)
        // Responses without a body have no length (RFC 9110, section 8.6).
        if hasLength, ![.noContent, .notModified].contains(response.status) {
            headers.add(name: "Content-Length", value: "\(response.byteCount)")
        }
        return headers
    }
}
