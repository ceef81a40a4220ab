import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization
import TLS

/// The RTSP server: a listener for plain connections, one for TLS, and event loops that serve the connections.
public final class Server: Sendable {
    /// The event loops, for what other protocols run on them.
    public let loops: [MediaLoop]
    private let inboxes: [Inbox]
    private let acceptors: [Acceptor]
    let registry: Registry
    let admission: Admission
    let directory: PathDirectory
    private let identity: CurrentIdentity

    /// Binds the ports, including all loops' UDP ports. Nothing is served before `start`.
    ///
    /// - Parameter services: further services of each event loop, which come before RTSP: each makes one for one loop.
    public init(
        options: ServerOptions, directory: PathDirectory,
        services: [MediaLoop.ServiceMaker] = [], logger: Logger
    ) throws(BindingFailure) {
        var options = options
        options.connection.servesSRTP = options.encryption.tls?.srtp != nil
        // Each connection takes a descriptor, and many hosts limit a process to 1024.
        DescriptorLimit.raise()
        var clear = try Self.listener(.clear, options)
        var secure = try Self.listener(.tls, options)
        registry = Registry(limits: options.connectionLimits, maximumViewers: options.maximumViewers)
        admission = Admission(options.access, options.authoriser)
        self.directory = directory
        identity = CurrentIdentity(options.encryption.tls?.identity)
        var numbers = SystemRandomNumberGenerator()
        let context = ServerContext(
            options: options, directory: directory, registry: registry, admission: admission, identity: identity,
            canonicalName: "apus-\(String(numbers.next() as UInt64, radix: 36))", logger: logger)
        do throws(SystemError) {
            (loops, inboxes) = try Self.loops(context, services)
            var acceptors: [Acceptor] = []
            if let listener = clear.take() {
                acceptors.append(
                    try Acceptor(
                        listener: listener, security: .clear, inboxes: inboxes, registry: registry, logger: logger))
            }
            if let listener = secure.take() {
                acceptors.append(
                    try Acceptor(
                        listener: listener, security: .tls, inboxes: inboxes, registry: registry, logger: logger))
            }
            self.acceptors = acceptors
        } catch {
            throw BindingFailure(way: nil, error: error)
        }
    }

    /// The TCP port for plain connections, or otherwise for TLS.
    public var port: UInt16 { port(for: .clear) ?? port(for: .tls) ?? 0 }

    /// The TCP port for connections of one kind; `nil` if they are not offered.
    public func port(for security: ConnectionSecurity) -> UInt16? {
        acceptors.first { $0.security == security }?.port
    }

    /// Starts serving, on threads of its own.
    public func start() throws(SystemError) {
        for loop in loops { try loop.start() }
        for acceptor in acceptors { try acceptor.start() }
    }

    /// Replaces the server's certificate and key for new connections. Existing ones continue.
    public func identify(by identity: ServerIdentity) {
        self.identity.value = identity
    }

    /// Sends a BYE to every viewer, closes everything and ends the threads.
    public func stop() async {
        for acceptor in acceptors { acceptor.stop() }
        for loop in loops { await loop.stop() }
        for loop in loops { loop.join() }
    }

    /// Returns once every event loop has turned, including the acceptors'. It never returns if one is stuck or has ended.
    public func turned() async {
        for acceptor in acceptors { await acceptor.turned() }
        for loop in loops { await loop.turned() }
    }

    /// Ends the sessions on a stream that the directory no longer has. Each viewer gets a BYE.
    public func withdraw(_ stream: Streams.Stream) async {
        await control { $0.withdraw(stream, .stream) }
        registry.streamRemoved()
    }

    /// Milliseconds from the end of a stream to the end of its sessions: a TCP viewer may be behind by
    /// `limits.viewerLagMilliseconds`, and a fast start takes up to a second.
    private static let drainMilliseconds: Int64 = 1_000

    /// Ends the sessions on a stream that has ended (`Stream.end`). Each viewer gets the last units, then a BYE.
    public func end(_ stream: Streams.Stream) async {
        // The sleep ends early only if the task is cancelled, which never happens.
        try? await Task.sleep(for: .milliseconds(Self.drainMilliseconds))
        // Another source may have announced its tracks meanwhile.
        guard stream.hasEnded else { return }
        await control { $0.withdraw(stream, .end) }
    }

    /// Ends a stream's multicast groups and their members' sessions, because the directory has new options for them.
    public func withdrawGroups(of stream: Streams.Stream) async {
        await control { $0.withdraw(stream, .groups) }
    }

    /// Replaces the access policy; with `nil` every client may do everything. Call ``reviewSessions()`` afterwards.
    ///
    /// - Parameter authoriser: decides requests that the policy leaves open.
    public func admit(by policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)? = nil) {
        admission.admit(by: policy, authoriser)
    }

    /// Ends the sessions that are no longer permitted. Their viewers get a BYE; the others are not affected.
    public func reviewSessions() async {
        await control { $0.reviewSessions() }
    }

    /// All viewers that play.
    public func viewers(at now: MonotonicTime) async -> [ViewerStatus] {
        await control { $0.viewers(at: now) }.flatMap(\.self)
    }

    /// How many viewers play, by path.
    public func viewerCounts() async -> [String: Int] {
        await control { $0.viewerCounts }.reduce(into: [:]) { sum, counts in sum.merge(counts, uniquingKeysWith: +) }
    }

    /// Ends the session of a viewer, which gets a BYE.
    ///
    /// - Returns: false if there is no such viewer.
    public func disconnect(_ viewer: ViewerID) async -> Bool {
        await control { $0.disconnect(viewer) }.contains(true)
    }

    /// Chooses a rendition for a viewer, whatever its network carries.
    ///
    /// - Parameter path: that of the rendition; `nil` lets the estimate of the viewer's path decide.
    /// - Returns: `nil` if there is no such viewer.
    public func fixRendition(of viewer: ViewerID, to path: String?) async -> RenditionOutcome? {
        await control { $0.fixRendition(of: viewer, to: path) }.compactMap(\.self).first
    }

    /// Asks the RTSP service of each loop.
    @discardableResult
    private func control<Answer: Sendable>(_ ask: @Sendable (ServiceControl) -> Answer) async -> [Answer] {
        var answers: [Answer] = []
        for loop in loops {
            if let answer = await loop.with(RTSPService.self, { ask($0.control) }) { answers.append(answer) }
        }
        return answers
    }

    /// What one loop has sent and dropped.
    public typealias Statistics = DeliveryStatistics

    /// The statistics of each loop.
    public func statistics() async -> [Statistics] {
        var all: [Statistics] = []
        for loop in loops { all.append(await loop.statistics) }
        return all
    }

    /// Connections of each loop. A new connection goes to the loop with the fewest.
    public var connectionCounts: [Int] { inboxes.map(\.load) }

    /// The listener for connections of one kind; `nil` if they are not offered.
    private static func listener(
        _ security: ConnectionSecurity, _ options: ServerOptions
    ) throws(BindingFailure) -> Listener? {
        guard options.encryption.offeredSecurity.contains(security) else { return nil }
        let port = security == .tls ? options.encryption.tls?.port ?? 0 : options.port
        do throws(SystemError) {
            guard let text = options.address else { return try Listener.onAllAddresses(port: port) }
            guard let address = SocketAddress(text, port: port) else {
                throw SystemError(call: "bind", code: 22)  // EINVAL: the configuration permits numeric addresses only.
            }
            return try Listener(at: address)
        } catch {
            throw BindingFailure(way: security, error: error)
        }
    }

    /// The event loops, not started, each with the RTSP service and `services`; the first is the home of multicast groups.
    private static func loops(
        _ context: ServerContext, _ services: [MediaLoop.ServiceMaker]
    ) throws(SystemError) -> ([MediaLoop], [Inbox]) {
        let (server, logger) = (context.options, context.logger)
        var options = server.loop
        options.usesGSO = GSO.probe()
        if !options.usesGSO { logger.notice("the kernel does not support GSO for UDP; sending single datagrams") }
        let fastStartBudget = MemoryBudget(maximumByteCount: server.maximumFastStartByteCount)
        var eventLoops: [EventLoop] = []
        for index in 0..<max(1, server.loopCount) { eventLoops.append(try EventLoop(name: "apus-loop-\(index)")) }
        let groupRequests = Mailbox<GroupRequest>(waking: eventLoops[0])
        var (loops, inboxes): ([MediaLoop], [Inbox]) = ([], [])
        for (index, eventLoop) in eventLoops.enumerated() {
            let mailboxes = LoopMailboxes(waking: eventLoop)
            let home = HomeMailbox(requests: groupRequests, isHere: index == 0)
            let usesGSO = options.usesGSO
            loops.append(
                try MediaLoop(
                    on: eventLoop, options: options, fastStartBudget: fastStartBudget,
                    services: services + [
                        { RTSPService($0, context, mailboxes: mailboxes, groups: home, usesGSO: usesGSO) }
                    ]))
            inboxes.append(mailboxes.inbox)
        }
        logSendBuffer(of: loops[0], to: logger)
        return (loops, inboxes)
    }

    /// Logs that the kernel's limit makes the send buffer small, because keyframes for many viewers would fill it at once.
    private static func logSendBuffer(of loop: MediaLoop, to logger: Logger) {
        let requested = Int(UDPSocket.requestedBufferByteCount)
        guard loop.sendBufferByteCount < requested else { return }
        logger.notice(
            "the kernel grants a smaller UDP send buffer than requested",
            metadata: [
                "requested": "\(requested) bytes", "granted": "\(loop.sendBufferByteCount) bytes",
                "remedy": "sysctl -w net.core.wmem_max=\(requested)",
            ])
    }
}

/// Why the server cannot have its ports.
public struct BindingFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of connections that the port is for; `nil` for an RTP port, or if no port failed.
    public let way: ConnectionSecurity?
    /// The error of the system call, such as `isAddressInUse` or `isPermissionDenied`.
    public let error: SystemError

    public var description: String { "\(error)" }
}
