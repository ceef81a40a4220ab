import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization
import TLS

/// The RTSP server: a listener for those who come in the clear, one for TLS, and loops that serve what they accept.
public final class Server: Sendable {
    private let options: ServerOptions
    let loops: [ServerLoop]
    private let acceptors: [Acceptor]
    private let admission: Admission
    private let identity: CurrentIdentity
    private let logger: Logger

    /// Binds the ports and all loops' UDP ports; nothing is served before `start`.
    public init(options: ServerOptions, directory: PathDirectory, logger: Logger) throws(BindingFailure) {
        var options = options
        options.connection.servesSRTP = options.encryption.tls?.srtp != nil
        self.options = options
        self.logger = logger
        // Each connection is one, and many hosts give a process 1024.
        DescriptorLimit.raise()
        var clear = try Self.listener(.clear, options)
        var secure = try Self.listener(.tls, options)
        let registry = Registry(
            limits: options.connectionLimits, maximumViewers: options.maximumViewers)
        admission = Admission(options.access, options.authoriser)
        identity = CurrentIdentity(options.encryption.tls?.identity)
        do throws(SystemError) {
            loops = try Self.loops(options, directory, registry, admission, identity, logger)
            var acceptors: [Acceptor] = []
            if let listener = clear.take() {
                acceptors.append(
                    try Acceptor(listener: listener, security: .clear, loops: loops, registry: registry, logger: logger)
                )
            }
            if let listener = secure.take() {
                acceptors.append(
                    try Acceptor(listener: listener, security: .tls, loops: loops, registry: registry, logger: logger))
            }
            self.acceptors = acceptors
        } catch {
            throw BindingFailure(way: nil, error: error)
        }
    }

    /// The TCP port for those who come in the clear, or else through TLS.
    public var port: UInt16 { port(for: .clear) ?? port(for: .tls) ?? 0 }

    /// The TCP port of one way to come; `nil` where nobody may come by it.
    public func port(for security: ConnectionSecurity) -> UInt16? {
        acceptors.first { $0.security == security }?.port
    }

    /// Starts serving, on threads of its own.
    public func start() throws(SystemError) {
        for loop in loops { try loop.loop.start(loop) }
        for acceptor in acceptors { try acceptor.start() }
    }

    /// What is shown from now on to those who come through TLS; those who are there stay.
    public func identify(by identity: ServerIdentity) {
        self.identity.value = identity
    }

    /// Says goodbye to every viewer, closes everything and ends the threads.
    public func stop() async {
        for acceptor in acceptors { acceptor.stop() }
        for loop in loops {
            await loop.stop(at: .now())
            loop.loop.stop()
        }
        for loop in loops { loop.loop.join() }
    }

    /// Returns once every event loop has turned, the acceptors' too; never where one is stuck, or has ended.
    public func turned() async {
        for acceptor in acceptors { await acceptor.turned() }
        for loop in loops { await loop.loop.turned() }
    }

    /// Ends the sessions on a stream that the directory has no more: each viewer is told goodbye.
    public func withdraw(_ stream: Streams.Stream) async {
        for loop in loops { await loop.withdraw(stream, .stream) }
    }

    /// Milliseconds from the end of a stream to the end of its sessions: a TCP viewer may be behind by
    /// `limits.viewerLagMilliseconds`, and a prelude takes up to a second.
    private static let drainMilliseconds: Int64 = 1_000

    /// Ends the sessions on a stream that has ended (`Stream.end`): each viewer gets the last units, then a BYE.
    public func end(_ stream: Streams.Stream) async {
        // The sleep ends early only if the task is cancelled, which nothing does.
        try? await Task.sleep(for: .milliseconds(Self.drainMilliseconds))
        // Another source may have announced its tracks meanwhile.
        guard stream.hasEnded else { return }
        for loop in loops { await loop.withdraw(stream, .end) }
    }

    /// Ends a stream's multicast groups, and their members' sessions: the directory has other options for them now.
    public func withdrawGroups(of stream: Streams.Stream) async {
        for loop in loops { await loop.withdraw(stream, .groups) }
    }

    /// Who may do what from now on; `nil` where everybody may do everything. ``reviewSessions()`` is to follow.
    ///
    /// - Parameter authoriser: who decides, where the policy does not.
    public func admit(by policy: AccessPolicy?, _ authoriser: (any ExternalAuthoriser)? = nil) {
        admission.admit(by: policy, authoriser)
    }

    /// Ends the sessions of those who may not watch any more: each viewer is told goodbye. All others notice nothing.
    public func reviewSessions() async {
        for loop in loops { await loop.reviewSessions() }
    }

    /// What one loop has sent and dropped.
    public typealias Statistics = DeliveryStatistics

    /// What each loop has sent so far.
    public func statistics() async -> [Statistics] {
        var all: [Statistics] = []
        for loop in loops { all.append(await loop.statistics) }
        return all
    }

    /// Connections of each loop, by which new ones are given to the loop with the fewest.
    public var connectionCounts: [Int] { loops.map(\.load) }

    /// Listens for those who come by one way; `nil` where nobody may.
    private static func listener(
        _ security: ConnectionSecurity, _ options: ServerOptions
    ) throws(BindingFailure) -> Listener? {
        guard options.encryption.ways.contains(security) else { return nil }
        let port = security == .tls ? options.encryption.tls?.port ?? 0 : options.port
        do throws(SystemError) {
            guard let text = options.address else { return try Listener.onAllAddresses(port: port) }
            guard let address = SocketAddress(text, port: port) else {
                throw SystemError(call: "bind", code: 22)  // EINVAL: the configuration admits numeric addresses only.
            }
            return try Listener(at: address)
        } catch {
            throw BindingFailure(way: security, error: error)
        }
    }

    private static func loops(
        _ options: ServerOptions, _ directory: PathDirectory, _ registry: Registry, _ admission: Admission,
        _ identity: CurrentIdentity, _ logger: Logger
    ) throws(SystemError) -> [ServerLoop] {
        var numbers = SystemRandomNumberGenerator()
        let canonicalName = "apus-\(String(numbers.next() as UInt64, radix: 36))"
        let usesGSO = GSO.probe()
        if !usesGSO { logger.notice("the kernel cuts no UDP trains: sending single datagrams") }
        let fastStarts = FastStartBudget(maximumByteCount: options.maximumFastStartByteCount)
        var loops: [ServerLoop] = []
        for index in 0..<max(1, options.loopCount) {
            loops.append(
                try ServerLoop(
                    index: index, loop: EventLoop(name: "apus-loop-\(index)"), options: options, directory: directory,
                    registry: registry, admission: admission, identity: identity, inbox: Inbox(),
                    fastStarts: fastStarts, multicastHome: loops.first, canonicalName: canonicalName,
                    usesGSO: usesGSO,
                    logger: logger))
        }
        return loops
    }
}

/// Why the server cannot have its ports.
public struct BindingFailure: Error, Sendable, CustomStringConvertible {
    /// Whose port it is; `nil` where it is one for RTP, or none.
    public let way: ConnectionSecurity?
    /// `isAddressInUse`, `isPermissionDenied` and others.
    public let error: SystemError

    public var description: String { "\(error)" }
}
