import Logging
import NIOCore
import NIOPosix
import RTSP
import Reactor
import Synchronization
import TLS

/// The HTTP server: a listener for plain connections, one for TLS, and the event loops of SwiftNIO that serve the connections.
public final class Server: Sendable {
    /// A port at which the server listens once it has started.
    private final class Place: Sendable {
        let port: UInt16
        let security: ConnectionSecurity
        /// Until the start, when the event loops take it.
        let listener: Mutex<Listener?>

        init(_ listener: consuming Listener, port: UInt16, _ security: ConnectionSecurity) {
            self.port = listener.localAddress?.port ?? port
            self.security = security
            self.listener = Mutex(listener)
        }

        /// Passes on the listener's descriptor, once.
        func takeDescriptor() -> Int32? {
            listener.withLock { listener in
                guard let taken = listener.take() else { return nil }
                return taken.takeDescriptor().release()
            }
        }
    }

    private struct State {
        var group: MultiThreadedEventLoopGroup?
        var context: ServerContext?
        var listeners: [any Channel] = []
    }

    private let options: ServerOptions
    private let services: any HTTPSharedServices
    private let identity: CurrentIdentity
    private let logger: Logger
    private let places: [Place]
    private let state = Mutex(State())
    /// All open connections.
    private let connections = OpenConnections()

    /// Binds the ports. Nothing is served before `start`.
    public init(
        options: ServerOptions, services: any HTTPSharedServices, logger: Logger
    ) throws(ListeningFailure) {
        var places: [Place] = []
        if let port = options.port { places.append(try Self.place(port, .clear, options)) }
        if let tls = options.tls { places.append(try Self.place(tls.port, .tls, options)) }
        self.places = places
        (self.options, self.services, self.logger) = (options, services, logger)
        identity = CurrentIdentity(options.tls?.identity)
    }

    /// Hundreds of viewers over HTTP must not delay those over RTSP. If both share a processor, the 99th percentile of the latter's latency
    /// is 1.5 ms lower with this value (Benchmarks/http), and that of HTTP is the same. More steps do not help further, and would leave
    /// HTTP a smaller share on a host that is busy with other programs.
    private static let niceSteps: Int32 = 5

    /// The TCP port for connections of one kind; `nil` if they are not offered.
    public func port(for security: ConnectionSecurity) -> UInt16? {
        places.first { $0.security == security }?.port
    }

    /// Starts serving these resources, on threads of its own. Returns at once.
    ///
    /// - Parameter catalog: what clients are told about the streams; `nil` for nothing.
    public func start(_ routes: [Route], _ catalog: (any StreamCatalog)? = nil) {
        let context = ServerContext(
            options, services: services, routes: routes, catalog ?? EmptyCatalog(), identity: identity,
            ports: (clear: port(for: .clear), tls: port(for: .tls)), log: logger)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: options.threadCount)
        for (index, loop) in group.makeIterator().enumerated() {
            loop.execute {
                nameThisThread("apus-http-\(index)")
                yieldThisThread(by: Self.niceSteps)
            }
        }
        for place in places {
            guard let descriptor = place.takeDescriptor() else { continue }
            let security = place.security
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // Without free descriptors it pauses for a second.
                        try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try setUp(channel, security, context) }
                }
            // The listener has been bound and listens, so this fails only if the process has no memory.
            _ = bootstrap.withBoundSocket(descriptor).map { [self] channel in
                state.withLock { $0.listeners.append(channel) }
            }
        }
        state.withLock { ($0.group, $0.context) = (group, context) }
    }

    /// Closes all connections and ends the threads. Only the first call has an effect.
    public func stop() async {
        let (group, listeners) = state.withLock { state in
            defer { state.listeners = [] }
            return (state.group.take(), state.listeners)
        }
        for listener in listeners { listener.close(promise: nil) }
        // From now on, there are no live viewers to ask about: a loop that has ended answers nothing.
        let context = state.withLock { $0.context.take() }
        await context?.live.ask { $0.stop() }
        if let context {
            context.playbacks.sessions.stop(context)
            await context.playbacks.stop()
        }
        connections.closeAll()
        // It fails only for the group that all programs share.
        try? await group?.shutdownGracefully()
    }

    /// What all connections share; `nil` before the start and once the server stops.
    var context: ServerContext? { state.withLock(\.context) }

    /// Asks the live viewers of each event loop.
    @discardableResult
    func askLoops<Answer: Sendable>(_ question: @escaping @Sendable (LiveLoop) -> Answer) async -> [Answer] {
        await context?.live.ask(question) ?? []
    }

    /// Replaces the server's certificate and key for new connections. Existing ones continue.
    public func identify(by identity: ServerIdentity) { self.identity.value = identity }

    /// Prepares an accepted connection.
    private func setUp(_ channel: any Channel, _ security: ConnectionSecurity, _ context: ServerContext) throws {
        // The peer may have gone already.
        guard let peer = channel.remoteAddress.flatMap(Reactor.SocketAddress.init),
            let local = channel.localAddress.flatMap(Reactor.SocketAddress.init)
        else { throw ConnectionRefusal(reason: "the client has gone") }
        let counts: CountedConnection
        do throws(ConnectionRefusal) {
            counts = try CountedConnection(peer, security, by: context.services)
        } catch {
            context.log.log(.refusedConnection, .warning, "connection refused", peer: "\(peer)", reason: error.reason)
            throw error
        }
        connections.add(channel)
        let pipeline = channel.pipeline.syncOperations
        let setup = ConnectionSetup(
            server: context, facts: ConnectionFacts(peer: peer, local: local, security: security, counts: counts))
        guard security == .tls else { return try setup.addHTTP1(to: pipeline) }
        guard let identity = context.identity.value else {
            throw ConnectionRefusal(reason: "there is no certificate")
        }
        let limits = context.options.tls?.handshake ?? .init()
        let tls = try TLSConnection(of: identity, accepting: ProtocolHandler.names, limits: limits, at: .now())
        try pipeline.addHandler(TLSHandler(tls))
        try pipeline.addHandler(ProtocolHandler(setup))
    }

    private static func place(
        _ port: UInt16, _ security: ConnectionSecurity, _ options: ServerOptions
    ) throws(ListeningFailure) -> Place {
        do throws(SystemError) {
            guard let text = options.address else {
                return Place(try Listener.onAllAddresses(port: port), port: port, security)
            }
            guard let address = Reactor.SocketAddress(text, port: port) else {
                throw SystemError(call: "bind", code: 22)  // EINVAL: the configuration permits numeric addresses only.
            }
            return Place(try Listener(at: address), port: port, security)
        } catch {
            throw ListeningFailure(security: security, error: error)
        }
    }
}

/// Why the server cannot have a port.
public struct ListeningFailure: Error, Sendable {
    /// The kind of connections that the port is for.
    public let security: ConnectionSecurity
    /// The error of the system call, such as `isAddressInUse` or `isPermissionDenied`.
    public let error: SystemError
}
