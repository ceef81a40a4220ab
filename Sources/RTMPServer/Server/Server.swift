import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization
import TLS

/// The RTMP server: a port for plain connections, one for TLS, and a service on each media loop.
///
/// The service of the first loop accepts connections, and hands each to the loop that has the fewest. The server is made before the
/// loops, and connected to what it shares with other servers (``connect(to:on:)``) before they start.
public final class Server: Sendable {
    private let context: ServerContext
    private let ports: [PortListener]
    /// The loops on which it runs; empty before it is connected.
    private let loops = Mutex<[MediaLoop]>([])
    /// Whether a loop watches the ports.
    private let isWatched = Atomic(false)

    /// Binds the ports.
    public init(options: ServerOptions, logger: Logger) throws(PortFailure) {
        context = ServerContext(options, logger)
        var ports: [PortListener] = []
        if let port = options.port { ports.append(try PortListener(.clear, port, at: options.address)) }
        if let tls = options.tls { ports.append(try PortListener(.tls, tls.port, at: options.address)) }
        self.ports = ports
    }

    /// Makes the service of one loop.
    public var service: MediaLoop.ServiceMaker {
        { [self] place throws(SystemError) in
            let inbox = LoopInbox(at: place)
            context.add(inbox)
            let isFirst = !isWatched.exchange(true, ordering: .relaxed)
            return try RTMPService(place, context, inbox, listeners: isFirst ? ports : [])
        }
    }

    /// Connects the server to what it shares with the others. Call it before the loops start.
    public func connect(to services: any RTMPSharedServices, on loops: [MediaLoop]) {
        context.services = services
        self.loops.withLock { $0 = loops }
    }

    /// The port for connections of one kind; `nil` if they are not offered.
    public func port(for security: ConnectionSecurity) -> UInt16? { ports.first { $0.security == security }?.port }

    /// Replaces the certificate and key for new connections.
    public func identify(by identity: ServerIdentity) { context.identity = identity }

    /// All viewers that play.
    public func viewers(at now: MonotonicTime) async -> [FollowerStatus] {
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

    @discardableResult
    private func ask<Answer: Sendable>(_ question: @Sendable (RTMPService) -> Answer) async -> [Answer] {
        var answers: [Answer] = []
        for loop in loops.withLock(\.self) {
            if let answer = await loop.with(RTMPService.self, question) { answers.append(answer) }
        }
        return answers
    }
}

/// A port that clients connect to.
final class PortListener: Sendable {
    let security: ConnectionSecurity
    let listener: Listener

    init(_ security: ConnectionSecurity, _ port: UInt16, at address: String?) throws(PortFailure) {
        self.security = security
        do throws(SystemError) {
            guard let address else {
                listener = try Listener.onAllAddresses(port: port)
                return
            }
            guard let address = SocketAddress(address, port: port) else {
                throw SystemError(call: "bind", code: 22)  // EINVAL: the configuration permits numeric addresses only.
            }
            listener = try Listener(at: address)
        } catch {
            throw PortFailure(isTLS: security == .tls, error: error)
        }
    }

    var port: UInt16 { listener.localAddress?.port ?? 0 }
}
