import HTTP
import Logging
import RTSP
import Reactor
import Streams
import Synchronization
import TLS
import TestSupport

@testable import HTTPServer

/// A server on a free port of loopback, with routes for tests.
final class TestServer {
    let server: HTTPServer.Server
    let services: TestServices

    static let routes =
        [
            Route(.path("/open"), for: .everyone) { $1.respond(Response("hello\n", as: "text/plain")) },
            Route(.path("/large"), for: .everyone) { _, exchange in
                exchange.respond(Response(body: [UInt8](repeating: 7, count: 300_000)))
            },
            Route(.path("/echo"), [.post], for: .everyone, accepting: [.post: "text/plain"]) { request, exchange in
                exchange.respond(Response(body: request.body))
            },
            Route(.path("/late"), for: .everyone) { _, exchange in
                // The response comes from another thread, and not one of the pool, which blocked tests may fill.
                elsewhere { exchange.respond(Response("late", as: "text/plain")) }
            },
            Route(.path("/never"), for: .everyone) { _, _ in },
            Route(.path("/status"), for: .server(.status)) { request, exchange in
                exchange.respond(Response(request.grant.user ?? "nobody", as: "text/plain"))
            },
            Route(.stream("watch"), for: .stream(.read)) { request, exchange in
                let path = request.streamPath ?? ""
                exchange.respond(Response("\(path) \(request.client.address)", as: "text/plain"))
            },
            Route(.stream("change"), [.post], for: .stream(.control)) { request, exchange in
                exchange.respond(Response(request.grant.user ?? "nobody", as: "text/plain"))
            },
        ] + [.statusSocket, .tokens] + Route.live + Route.page(framedBy: [])

    /// - Parameter more: routes of this test, which come first.
    init(
        _ services: TestServices = TestServices(), more: [Route] = [], events: EventBus? = nil,
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in }
    ) throws {
        self.services = services
        var options = HTTPServer.ServerOptions()
        options.port = 0
        change(&options)
        server = try HTTPServer.Server(
            options: options, services: services, logger: log)
        server.start(more + Self.routes, events.map(TestCatalog.init))
    }

    /// Runs `body` with a server, and stops it.
    static func run(
        _ services: TestServices = TestServices(), more: [Route] = [], events: EventBus? = nil,
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = try TestServer(services, more: more, events: events, log: log, change)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Runs `body` with a server of these streams, which admits `limit` viewers.
    static func serve(
        _ streams: [LiveStream], _ change: (inout HTTPServer.ServerOptions) -> Void = { _ in }, limit: Int = 100,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let services = TestServices(limit: limit)
        for stream in streams { services.streams.withLock { $0[stream.stream.path] = stream.path } }
        try await run(services, change, body)
    }

    func port(_ security: ConnectionSecurity = .clear) -> Int { Int(server.port(for: security) ?? 0) }

    func connect(_ security: ConnectionSecurity = .clear) throws -> HTTPSocket { try HTTPSocket(port: port(security)) }

    func connectByHTTP2(
        settings: [(UInt16, UInt32)] = [], bufferByteCount: Int32? = nil
    ) throws -> HTTP2Client {
        try HTTP2Client(port: port(.tls), settings: settings, bufferByteCount: bufferByteCount)
    }

    func stop() async { await server.stop() }
}

extension HTTPServer.ServerOptions.TLSOptions {
    /// A free port, and a certificate that all tests share, because making one takes as long as a handshake.
    static let fixture: Self = {
        do {
            let own = try SelfSignedCertificate(for: [.host("localhost")], days: 7)
            return try Self(port: 0, identity: ServerIdentity(certificates: own.certificate, key: own.key))
        } catch {
            fatalError("the tests need an identity: \(error)")
        }
    }()
}

/// Runs the closure on a thread of its own.
private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    // Without threads there is no answer, and the test fails.
    try? startDetachedThread(name: "elsewhere", body)
}

/// A catalog that has events and no streams.
private struct TestCatalog: StreamCatalog {
    let events: EventBus

    func streams(_ receive: @escaping @Sendable ([CatalogStream]) -> Void) { receive([]) }
    func viewers(of path: String, _ receive: @escaping @Sendable ([UInt8]) -> Void) { receive(Array("[]".utf8)) }
    func events(waking waker: any Waker) -> EventSubscription? { events.subscribe(capacity: 4, waking: waker) }
}

/// Users and limits for tests.
final class TestServices: HTTPSharedServices {
    private let policy: AccessPolicy?
    private let decision: AccessDecision
    let lockOut = LockOut()
    /// Connections that are admitted, and the greatest number so far.
    let counts = Mutex((open: 0, handshakes: 0))
    let limit: Int
    let questions = Mutex<[ExternalAuthorisationRequest]>([])

    private let viewerIDs = Mutex(ViewerIDs(after: 0))

    init(_ policy: AccessPolicy? = nil, limit: Int = 100, decision: AccessDecision = .refused) {
        (self.policy, self.limit, self.decision) = (policy, limit, decision)
    }

    var access: (policy: AccessPolicy?, version: UInt64) { (policy, 1) }

    func decide(
        _ request: ExternalAuthorisationRequest, for connection: String,
        _ answer: @escaping @Sendable (AccessDecision) -> Void
    ) {
        questions.withLock { $0.append(request) }
        let decision = decision
        elsewhere { answer(decision) }
    }

    func admit(_ peer: SocketAddress, _ security: ConnectionSecurity) -> String? {
        counts.withLock { counts in
            guard counts.open < limit else { return "too many connections" }
            counts.open += 1
            if security == .tls { counts.handshakes += 1 }
            return nil
        }
    }

    func handshakeEnded() { counts.withLock { $0.handshakes -= 1 } }

    func left(_ peer: SocketAddress) { counts.withLock { $0.open -= 1 } }

    /// The streams that can be watched.
    let streams = Mutex<[String: LivePath]>([:])
    /// Viewers that are counted.
    let viewers = Mutex(0)

    func livePath(at path: String) -> LivePath? { streams.withLock { $0[path] } }

    /// The paths of the substreams of each path.
    let substreams = Mutex<[String: [String]]>([:])

    func substreams(of path: String) -> [LivePath] {
        substreams.withLock { $0[path] ?? [] }.compactMap(livePath)
    }

    func admitViewer() -> Bool {
        viewers.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func nextViewerID() -> ViewerID { viewerIDs.withLock { $0.next() } }

    func viewerLeft() { viewers.withLock { $0 -= 1 } }
}
