import CSRT
import Glibc
import Logging
import Media
import Reactor
import SRT
import Streams
import Synchronization

/// The SRT server: a listener at one UDP port, whose connections are served by a thread of SRT (``SRTLoop``).
///
/// It binds its port when it is made, and listens from ``start()`` on. A loop has one server at most.
public final class Server: Sendable {
    private let options: ServerOptions
    private let loop: SRTLoop
    private let listener: SRTSocket
    /// The UDP port.
    public let port: UInt16
    private let decision = Mutex<ListenerDecision?>(nil)

    /// Binds the port.
    public init(options: ServerOptions, on loop: SRTLoop) throws(PortFailure) {
        (self.options, self.loop) = (options, loop)
        let address: SocketAddress
        if let text = options.address {
            guard let parsed = SocketAddress(text, port: options.port) else { throw .address(text) }
            address = parsed
        } else {
            address = .any(Self.hasIPv6 ? .ipv6 : .ipv4, port: options.port)
        }
        do throws(SRTFailure) {
            (listener, port) = try Self.bound(to: address, options)
        } catch {
            throw .library(error)
        }
    }

    private static func bound(
        to address: SocketAddress, _ options: ServerOptions
    ) throws(SRTFailure) -> (SRTSocket, UInt16) {
        let socket = try SRTSocket.make()
        do throws(SRTFailure) {
            // Accepted connections have the options of the listener.
            try socket.set(apus_srt_receive_latency, options.latencyMilliseconds)
            try socket.set(apus_srt_peer_latency, options.latencyMilliseconds)
            try socket.setMediaOptions(peerIdleMilliseconds: options.peerIdleMilliseconds)
            if address.family == .ipv6 { try socket.set(apus_srt_ipv6_only, address.isAny ? 0 : 1) }
            try socket.bind(to: address)
        } catch {
            socket.close()
            throw error
        }
        return (socket, socket.localAddress?.port ?? address.port)
    }

    /// Connections that wait to be accepted by the thread: the callers of one of its turns.
    private static let backlog = 128

    /// Whether the host has IPv6: then one socket serves both versions.
    private static var hasIPv6: Bool {
        let fd = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        guard fd >= 0 else { return false }
        close(fd)
        return true
    }

    /// Connects the server to what it shares with others, and lets the loop's thread listen.
    public func start(with services: any SRTSharedServices) {
        let context = ServerContext(options, services, loop.log)
        let decision = ListenerDecision(context.gate)
        // It exists as long as the server, and so longer than the listener, which the loop closes.
        self.decision.withLock { $0 = decision }
        let socket = listener
        loop.perform { state in
            let service = SRTService(socket, context, on: state)
            // libsrt does not tell of a connection that was made before the listener was watched.
            guard state.watch(socket, for: [.readable, .error], by: service),
                apus_srt_listen(socket.number, Int32(Self.backlog), decision.pointer)
            else {
                let failure = SRTFailure.last(of: "listen")
                return context.log.log(.failure, .error, "SRT cannot be served", reason: "\(failure)")
            }
            state.add(service)
        }
    }

    deinit {
        // The loop has ended before, and closed the listener; or it was never started.
        listener.close()
    }

    /// All viewers that watch.
    public func viewers(at now: MonotonicTime) async -> [ViewerStatus] { await ask { $0.viewers(at: now) } ?? [] }

    /// How many viewers watch, by path.
    public func viewerCounts() async -> [String: Int] { await ask(\.viewerCounts) ?? [:] }

    /// Ends the viewing of a stream that is no longer served, or whose input has ended for good.
    public func withdraw(_ stream: Streams.Stream) async { await ask { $0.withdraw(stream, at: .now()) } }

    /// Ends what the access policy no longer permits.
    public func review() async { await ask { $0.review(at: .now()) } }

    /// Disconnects a viewer.
    ///
    /// - Returns: false if there is no such viewer.
    public func disconnect(_ viewer: ViewerID) async -> Bool {
        await ask { $0.disconnect(viewer, at: .now()) } ?? false
    }

    /// The answer of the service; `nil` if it does not run.
    @discardableResult
    private func ask<Answer: Sendable>(_ question: @escaping @Sendable (SRTService) -> Answer) async -> Answer? {
        await loop.ask { $0.member(of: SRTService.self).map(question) } ?? nil
    }
}

/// What libsrt calls for each handshake. Thread-safe, because it never changes.
private final class ListenerDecision: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<apus_srt_decision>
    private let gate: HandshakeGate

    init(_ gate: HandshakeGate) {
        self.gate = gate
        pointer = .allocate(capacity: 1)
        pointer.initialize(
            to: apus_srt_decision(
                decide: { context, socket, peer, streamID in
                    ListenerDecision.decide(context, SRTSocket(number: socket), peer, streamID)
                }, context: Unmanaged.passUnretained(gate).toOpaque()))
    }

    deinit { pointer.deallocate() }

    private static func decide(
        _ context: UnsafeMutableRawPointer?, _ socket: SRTSocket, _ peer: UnsafePointer<sockaddr>?,
        _ streamID: UnsafePointer<CChar>?
    ) -> Int32 {
        guard let context, let peer, let streamID, let address = SocketAddress(reading: peer) else {
            return Int32(SRTRejection.unavailable.rawValue)
        }
        let gate = Unmanaged<HandshakeGate>.fromOpaque(context).takeUnretainedValue()
        let count = strnlen(streamID, SRTStreamID.maximumByteCount + 1)
        let bytes = UnsafeRawBufferPointer(start: streamID, count: count)
        return gate.decide(socket, from: address, streamID: Array(bytes)).map { Int32($0.rawValue) } ?? 0
    }
}

extension SocketAddress {
    /// Reads an address of the kernel's form, as long as its family says; `nil` unless it is IPv4 or IPv6.
    fileprivate init?(reading address: UnsafePointer<sockaddr>) {
        var storage = sockaddr_storage()
        let count: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: count = MemoryLayout<sockaddr_in>.size
        case AF_INET6: count = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
        }
        self.init(storage)
    }
}
