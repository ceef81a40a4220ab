import Delivery
import Logging
import Media
import RTSP
import Reactor
import Streams
import Synchronization

/// The RTSP server: one listener, and loops that serve what it accepts.
public final class Server: Sendable {
    private let options: ServerOptions
    let loops: [ServerLoop]
    private let acceptor: Acceptor
    private let admission: Admission
    private let logger: Logger

    /// Binds the port and all loops' UDP ports; nothing is served before `start`.
    ///
    /// - Throws: `isAddressInUse` or `isPermissionDenied` where the port cannot be had.
    public init(options: ServerOptions, directory: PathDirectory, logger: Logger) throws(SystemError) {
        self.options = options
        self.logger = logger
        // Each connection is one, and many hosts give a process 1024.
        DescriptorLimit.raise()
        let listener = try Self.listener(options)
        let registry = Registry(
            maximumConnectionsPerAddress: options.maximumConnectionsPerAddress,
            maximumViewers: options.maximumViewers)
        admission = Admission(options.access)
        var numbers = SystemRandomNumberGenerator()
        let canonicalName = "apus-\(String(numbers.next() as UInt64, radix: 36))"
        let isSegmenting = Segmentation.probe()
        if !isSegmenting { logger.notice("the kernel cuts no UDP trains: sending single datagrams") }
        var loops: [ServerLoop] = []
        for index in 0..<max(1, options.loopCount) {
            loops.append(
                try ServerLoop(
                    index: index, loop: EventLoop(name: "apus-loop-\(index)"), options: options, directory: directory,
                    registry: registry, admission: admission, inbox: Inbox(), multicastHome: loops.first,
                    canonicalName: canonicalName,
                    isSegmenting: isSegmenting, logger: logger))
        }
        self.loops = loops
        acceptor = try Acceptor(listener: listener, loops: loops, registry: registry, logger: logger)
    }

    /// The TCP port that is listened at.
    public var port: UInt16 { acceptor.port }

    /// Starts serving, on threads of its own.
    public func start() throws(SystemError) {
        for loop in loops { try loop.loop.start(loop) }
        try acceptor.start()
    }

    /// Says goodbye to every viewer, closes everything and ends the threads.
    public func stop() async {
        acceptor.stop()
        for loop in loops {
            await loop.stop(at: .now())
            loop.loop.stop()
        }
        for loop in loops { loop.loop.join() }
    }

    /// Returns once every event loop has turned, the acceptor's too; never where one is stuck, or has ended.
    public func turned() async {
        await acceptor.turned()
        for loop in loops { await loop.loop.turned() }
    }

    /// Ends the sessions on a stream that the directory has no more: each viewer is told goodbye.
    public func withdraw(_ stream: Streams.Stream) async {
        for loop in loops { await loop.withdraw(stream, .stream) }
    }

    /// Ends a stream's multicast groups, and their members' sessions: the directory has other options for them now.
    public func withdrawGroups(of stream: Streams.Stream) async {
        for loop in loops { await loop.withdraw(stream, .groups) }
    }

    /// Who may do what from now on; `nil` where everybody may do everything. ``reviewSessions()`` is to follow.
    public func admit(by policy: AccessPolicy?) {
        admission.policy = policy
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

    private static func listener(_ options: ServerOptions) throws(SystemError) -> Listener {
        guard let text = options.address else { return try Listener.onAllAddresses(port: options.port) }
        guard let address = SocketAddress(text, port: options.port) else {
            throw SystemError(call: "bind", code: 22)  // EINVAL: the configuration admits numeric addresses only.
        }
        return try Listener(at: address)
    }
}
