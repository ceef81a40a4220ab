import NIOCore
import Synchronization

/// One request and its response. Thread-safe.
public final class Exchange: Sendable {
    private let handler: NIOLoopBound<RequestHandler>
    private let loop: any EventLoop
    private let number: UInt64
    private let isAnswered = Atomic(false)

    /// - Parameter number: the number of the request on its connection.
    init(_ number: UInt64, of handler: RequestHandler, on loop: any EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: loop)
        self.loop = loop
        self.number = number
    }

    /// Sends the response. Only the first call has an effect, and none if the connection has closed.
    public func respond(_ response: Response) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        let (handler, number) = (handler, number)
        if loop.inEventLoop { return handler.value.respond(response, to: number) }
        loop.execute { handler.value.respond(response, to: number) }
    }

    /// Sends the response with a body that goes on until one side ends it. ``Response/body`` is not sent.
    public func respond(_ response: Response, endlessly body: any EndlessBody) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return body.ended() }
        let (handler, number) = (handler, number)
        loop.execute { handler.value.respond(response, endlessly: body, to: number) }
    }

    /// Logs in the user of a web page's form, and responds: with the cookie of a session, or with an error. Only inside TLS.
    public func logIn(user: String, password: String, by request: Request) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        let (handler, number) = (handler, number)
        loop.execute { handler.value.logIn(user: user, password: password, by: request, number) }
    }

    /// Responds with a token with which the stream that the request names can be watched. It is called on the event loop.
    func makeToken(for request: Request) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        handler.value.makeToken(for: request, number)
    }

    /// Responds with the removal of the cookie of a session.
    public func logOut(_ request: Request) {
        let cookie = AccessControl.cookie("", lastingSeconds: 0, request.identity.security)
        respond(Response(.noContent, headers: [("Set-Cookie", cookie)]))
    }

    /// Sends an error response.
    public func refuse(_ problem: Problem) { respond(problem.response) }

    /// Responds with the media of the stream that the request names, as a file without end. It is called on the event loop.
    func watch(_ request: Request) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        handler.value.watch(request, to: number)
    }

    /// Makes the connection a WebSocket, with the media of the stream that the request names, if it names one. It is called on the
    /// event loop.
    ///
    /// - Parameter isOfGo2rtc: whether its messages are those of go2rtc. Then the media begin when the client asks for them.
    func openSocket(_ request: Request, isOfGo2rtc: Bool = false) {
        guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
        handler.value.openSocket(request, to: number, isOfGo2rtc: isOfGo2rtc)
    }

    /// Responds with the qualities in which the stream that the request names can be played as HLS. It is called on the event loop.
    func listQualities(_ request: Request) { handler.value.listQualities(for: request, self) }

    /// Responds with a playlist or a segment of HLS. It is called on the event loop.
    func play(_ request: Request) { handler.value.play(request, self) }

    /// What the client of a request may do. It is called on the event loop.
    public func rights(of request: Request) -> ClientRights { handler.value.access.rights(of: request) }

    /// Responds with what the client may know about the server and itself. It is called on the event loop.
    func reportSession(to request: Request) { handler.value.reportSession(to: request, number) }

    /// Responds with the streams that the client may watch. It is called on the event loop.
    func listStreams(for request: Request) { handler.value.listStreams(for: request, self) }
}
