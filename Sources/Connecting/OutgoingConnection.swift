import Delivery
import Media
import Reactor
import TLS

/// A connection to a server to which a stream is sent or from which one comes, on a media loop: a ``ServerLink`` until it is established,
/// and then an output. Confined to the loop.
public final class OutgoingConnection {
    private let surroundings: OutgoingSurroundings
    private let link: ServerLink
    /// The sockets that the link has watched; the last one is that of the connection.
    private let tokens = Tokens()
    /// `nil` until the connection is established, with TLS also encrypted.
    public private(set) var output: TCPOutput?
    private var isWatchedForRoom = false

    private final class Tokens {
        var all: [Token] = []
    }

    /// The reads of a turn. A flood waits in the socket; media is not delayed.
    private static let readsPerTurn = 8

    /// Bytes that may wait to be sent. Media does not queue, so this is far more than a client has to say to a server that reads;
    /// one that sends requests and reads no answers reaches it.
    private static let pendingLimit = 256 << 10

    /// Begins to connect.
    public init(_ plan: ConnectionPlan, in surroundings: OutgoingSurroundings) {
        self.surroundings = surroundings
        let tokens = tokens
        link = ServerLink(plan, on: surroundings.place) {
            let token = surroundings.newToken(0)
            tokens.all.append(token)
            return token
        }
    }

    /// The address of the server; `nil` before it is known.
    public var server: SocketAddress? { link.server }

    /// What to report if the connection is not established in time.
    public var delay: ConnectionFailure { link.delay }

    /// The link's socket is ready. Afterwards the output may exist.
    public func establish(_ readiness: Readiness, _ buffers: inout ReceiveBuffers, at now: MonotonicTime) {
        // Servers say nothing before the first request.
        link.handle(readiness, &buffers, at: now) { _ in }
        guard link.isOpen, let output = link.takeOutput(at: now) else { return }
        output.onChange = surroundings.touch
        self.output = output
        isWatchedForRoom = true
    }

    /// Passes what the server has sent to `receive`, decrypted if necessary.
    public func read(_ receive: (RawSpan) -> Void) -> ReadOutcome {
        guard let output else { return .wouldBlock }
        for _ in 0..<Self.readsPerTurn {
            let outcome = withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 16) { buffer in
                let outcome = output.socket.read(into: buffer)
                if case .bytes(let count) = outcome {
                    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    if let tls = output.tls { tls.received(bytes) { receive($0.bytes) } } else { receive(bytes.bytes) }
                }
                return outcome
            }
            guard case .bytes = outcome else { return outcome }
            if output.tls?.phase == .ended { return .end }
        }
        return .wouldBlock
    }

    /// Sends what waits, and updates the events that the socket is watched for.
    ///
    /// - Returns: why the connection cannot be used any more; `nil` if it can.
    public func settle(at now: MonotonicTime) -> ConnectionFailure? {
        guard let output else {
            if link.hasEnded { return .endedByServer }
            return link.failure
        }
        if let failure = output.tls?.failure { return .insecure(failure) }
        if output.pendingByteCount > 0, !output.isBlocked { output.flush(at: now) }
        if let failure = output.failure { return .failed(failure) }
        if output.pendingByteCount > Self.pendingLimit { return .unreadRequests }
        guard output.isBlocked != isWatchedForRoom, let token = tokens.all.last else { return nil }
        isWatchedForRoom = output.isBlocked
        surroundings.place.change(output.socket.fd, isWatchedForRoom ? [.read, .write] : .read, of: token)
        return nil
    }

    /// Closes the socket. What was sent so far is still sent by the kernel.
    public func close(at now: MonotonicTime) {
        if let output {
            output.onChange = nil
            output.finish()
            if !output.isBlocked { output.flush(at: now) }
            surroundings.place.unwatch(output.socket.fd)
        }
        output = nil
        link.close()
        for token in tokens.all { surroundings.forget(token) }
        tokens.all = []
    }
}
