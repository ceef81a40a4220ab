import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization
import TLS
import WebRTC

/// The WebRTC server: a port on each media loop, and the sessions of clients. The HTTP server passes their requests to it.
///
/// The server is made before the loops, and connected to what it shares with other servers (``connect(to:on:)``) before they start.
public final class Server: Sendable {
    private let context: ServerContext
    private let ports: [LoopPort]
    /// The loops on which it runs; empty before it is connected.
    private let loops = Mutex<[MediaLoop]>([])
    /// How many services have been made.
    private let serviceCount = Atomic(0)

    /// Binds the ports.
    public init(options: ServerOptions, logger: Logger) throws(PortFailure) {
        context = ServerContext(options, logger)
        var ports: [LoopPort] = []
        for index in 0..<(options.usesOnePort ? 1 : options.loopCount) {
            ports.append(try LoopPort.bind(UInt16(clamping: Int(options.port) + index), options))
        }
        self.ports = ports
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [self] place throws(SystemError) in
            let index = serviceCount.add(1, ordering: .relaxed).oldValue
            // With one port, the other loops have nothing to do.
            guard index < ports.count else { return IdleService() }
            let inbox = LoopInbox(at: place)
            context.add(inbox)
            return try WebRTCService(place, context, inbox, on: ports[index], number: index)
        }
    }

    /// Connects the server to what it shares with the others. Call it before the loops start.
    public func connect(to services: any WebRTCSharedServices, on loops: [MediaLoop]) {
        context.services = services
        self.loops.withLock { $0 = loops }
    }

    /// The ports, for UDP and TCP.
    public var portNumbers: [UInt16] { ports.map(\.number) }

    // MARK: Requests

    /// Begins a session for an offer, on the loop that has the fewest.
    ///
    /// - Parameter answer: is called once, on any thread.
    public func open(_ request: SessionRequest, _ answer: @escaping @Sendable (SignallingResponse) -> Void) {
        do throws(IdentityFailure) {
            _ = try context.identity()
        } catch {
            context.log.log(
                .failedSession, .error, "WebRTC cannot be served", peer: request.client.endpoint.address,
                reason: "\(error)")
            return answer(.problem(503, "WebRTC cannot be served: \(error)"))
        }
        guard let inbox = context.inboxes.min(by: { $0.load < $1.load }) else {
            return answer(.problem(503, "the server is starting", retryAfterSeconds: 1))
        }
        inbox.open(request, answer)
    }

    /// Passes on a request for the resource of a session.
    ///
    /// - Parameters:
    ///   - name: the last part of its URL.
    ///   - answer: is called once, on any thread.
    public func receive(
        _ request: SignallingRequest, forSession name: String,
        _ answer: @escaping @Sendable (SignallingResponse) -> Void
    ) {
        let inboxes = context.inboxes
        guard let name = SessionName(name), inboxes.indices.contains(name.loop) else {
            return answer(.noSession(nil))
        }
        inboxes[name.loop].messages.put(.request(name, request, answer))
    }

    // MARK: Viewers

    /// All viewers that play.
    public func viewers(at now: MonotonicTime) async -> [ViewerStatus] {
        await ask { $0.viewers(at: now) }.flatMap(\.self)
    }

    /// How many viewers play, by path.
    public func viewerCounts() async -> [String: Int] {
        await ask(\.viewerCounts).reduce(into: [:]) { sum, counts in sum.merge(counts, uniquingKeysWith: +) }
    }

    /// Ends the viewing of a stream that is no longer served, or whose input has ended for good.
    public func withdraw(_ stream: Streams.Stream) async { await ask { $0.withdraw(stream) } }

    /// Ends what the access policy no longer permits.
    public func review() async { await ask { $0.review() } }

    /// Disconnects a viewer.
    ///
    /// - Returns: false if there is no such viewer.
    public func disconnect(_ viewer: ViewerID) async -> Bool { await ask { $0.disconnect(viewer) }.contains(true) }

    /// Chooses a rendition for a viewer.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate of the viewer's path decide.
    /// - Returns: `nil` if there is no such viewer.
    public func fixRendition(of viewer: ViewerID, to path: String?) async -> RenditionOutcome? {
        await ask { $0.fixRendition(of: viewer, to: path) }.compactMap(\.self).first
    }

    @discardableResult
    private func ask<Answer: Sendable>(_ question: @Sendable (WebRTCService) -> Answer) async -> [Answer] {
        var answers: [Answer] = []
        for loop in loops.withLock(\.self) {
            if let answer = await loop.with(WebRTCService.self, question) { answers.append(answer) }
        }
        return answers
    }
}

/// The service of a loop that has no port.
private final class IdleService: LoopService {
    func socketIsReady(_ event: Event, at now: MonotonicTime) {}
}
