import Delivery
import Media
import Reactor
import TLS

/// A connection to a server: looks up the host's name, connects to the first of its addresses that answers, and
/// encrypts if the plan says so. Loop thread only.
public final class ServerLink {
    private enum Phase {
        case lookingUp(NameQuery)
        case connecting
        /// The TLS handshake.
        case securing
        case open
        /// It failed or was closed.
        case closed
    }

    private let plan: ConnectionPlan
    private let watcher: any SocketWatcher
    private let newToken: () -> Token
    private var phase = Phase.connecting
    /// The addresses that were not tried yet.
    private var addresses: ArraySlice<SocketAddress> = []
    private var socket: TCPSocket?
    private var token: Token?
    /// `nil` without TLS.
    private var tls: TLSConnection?
    private var unsent: [UInt8] = []
    /// The number of bytes that may be read; `nil` without limit.
    private var credit: Int?
    /// The address of the server; `nil` before it is known.
    public private(set) var server: SocketAddress?
    /// Why the link cannot be used.
    public private(set) var failure: ConnectionFailure?
    /// Whether the server has closed its direction.
    public private(set) var hasEnded = false

    /// Begins to connect.
    ///
    /// - Parameter newToken: called for each socket that is watched.
    public init(_ plan: ConnectionPlan, on watcher: any SocketWatcher, newToken: @escaping () -> Token) {
        (self.plan, self.watcher, self.newToken) = (plan, watcher, newToken)
        if let known = plan.addresses {
            found(known)
        } else if let query = NameQuery(plan.host, port: plan.port) {
            wait(for: query)
        } else {
            fail(.slowNameServer(plan.host))
        }
    }

    /// Whether messages can be sent.
    public var isOpen: Bool { if case .open = phase { true } else { false } }
    public var localAddress: SocketAddress? { socket?.localAddress }
    /// In nanoseconds; `nil` before the kernel has measured it.
    public var roundTrip: Int64? { socket?.roundTrip }

    /// What to report if the link is not open in time.
    public var delay: ConnectionFailure {
        if case .lookingUp = phase { .slowNameServer(plan.host) } else { .noAnswer }
    }

    /// Closes the socket. What was sent so far is still sent by the kernel.
    public func close() {
        unwatch()
        phase = .closed
        socket = nil
    }

    private func fail(_ reason: ConnectionFailure) {
        failure = failure ?? reason
        close()
    }

    /// Gives up the open connection: the caller reads, writes and watches its socket from now on.
    ///
    /// - Returns: `nil` if the link is not open.
    func takeOutput(at now: MonotonicTime) -> TCPOutput? {
        guard isOpen, let socket = socket.take() else { return nil }
        phase = .closed
        return TCPOutput(socket: socket, tls: tls, at: now)
    }
}

// MARK: - Connecting

extension ServerLink {
    private func wait(for query: NameQuery) {
        if let answer = query.answer { return found(answer) }
        phase = .lookingUp(query)
        do throws(SystemError) {
            try watcher.watch(query.fd, .read, as: newToken())
        } catch {
            fail(.failed(error))
        }
    }

    private func found(_ addresses: [SocketAddress]) {
        unwatch()
        guard !addresses.isEmpty else { return fail(.unknownHost(plan.host)) }
        self.addresses = addresses.filter(plan.permits)[...]
        guard !self.addresses.isEmpty else {
            return fail(
                plan.refusesLocalAddresses ? .localRedirection(plan.label) : .deniedDestination(plan.label))
        }
        connect(afterFailure: nil)
    }

    /// Connects to the next address, or fails if there is none.
    private func connect(afterFailure error: SystemError?) {
        var error = error
        while let address = addresses.popFirst() {
            do throws(SystemError) {
                return try connect(to: address)
            } catch let next {
                error = next
            }
        }
        if let error { fail(.failed(error)) }
    }

    private func connect(to address: SocketAddress) throws(SystemError) {
        unwatch()
        let socket = try TCPSocket(connectingTo: address)
        try socket.sendWithoutDelay()
        if let byteCount = plan.receiveBufferByteCount { try socket.setReceiveBuffer(bytes: byteCount) }
        let token = newToken()
        try watcher.watch(socket.fd, .write, as: token)
        self.socket = consume socket
        (self.token, server, phase) = (token, address, .connecting)
    }

    private func finishConnecting(at now: MonotonicTime) {
        if let error = socket?.connectionFailure() { return connect(afterFailure: error) }
        guard plan.isSecure else {
            phase = .open
            return watch()
        }
        guard let client = plan.security else { return fail(.noCertificateCheck(plan.label)) }
        do throws(IdentityFailure) {
            let host = plan.host.filter { $0 != "[" && $0 != "]" }
            tls = try TLSConnection(to: client, host: host, at: now)
            phase = .securing
            // The first bytes of the handshake wait to be sent.
            flush()
        } catch {
            fail(.noTLS(error))
        }
    }

    private func unwatch() {
        if case .lookingUp(let query) = phase { watcher.unwatch(query.fd) }
        if let fd = socket?.fd { watcher.unwatch(fd) }
    }
}

// MARK: - Bytes

extension ServerLink {
    /// The socket is ready. Passes what was read to `receive`, for which the link is open.
    public func handle(
        _ readiness: Readiness, _ buffers: inout ReceiveBuffers, at now: MonotonicTime, receive: (Span<UInt8>) -> Void
    ) {
        switch phase {
        case .lookingUp(let query):
            if let answer = query.answer { found(answer) }
        case .connecting: finishConnecting(at: now)
        case .securing, .open:
            if readiness.contains(.writable) { flush() }
            if credit == 0, !readiness.isDisjoint(with: [.error, .hangup]) { return fail(.endedByServer) }
            if !readiness.isDisjoint(with: [.readable, .hangup, .error]) { read(&buffers, receive) }
        case .closed: break
        }
    }

    private func read(_ buffers: inout ReceiveBuffers, _ receive: (Span<UInt8>) -> Void) {
        let byteCount = min(credit ?? buffers.bytes.count, buffers.bytes.count)
        guard byteCount > 0 else { return }
        let outcome = buffers.bytes.withUnsafeMutableBytes { buffer in
            socket?.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])) ?? .wouldBlock
        }
        switch outcome {
        case .bytes(let count):
            if let credit { limit(to: credit - count) }
            if let tls { return decrypt(count, from: buffers, with: tls, receive) }
            receive(buffers.bytes.span.extracting(first: count))
        case .wouldBlock: break
        case .end: hasEnded = true
        case .failed(let error): fail(.failed(error))
        }
    }

    private func decrypt(
        _ count: Int, from buffers: borrowing ReceiveBuffers, with tls: TLSConnection, _ receive: (Span<UInt8>) -> Void
    ) {
        var decrypted: [UInt8] = []
        buffers.bytes.withUnsafeBytes { bytes in
            tls.received(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { decrypted.append(contentsOf: $0) }
        }
        if let reason = tls.failure { return fail(.insecure(reason)) }
        if case .securing = phase, tls.phase == .established { phase = .open }
        if !decrypted.isEmpty { receive(decrypted.span) }
        if tls.phase == .ended { hasEnded = true }
        flush()
    }

    /// Sends the bytes when the link is open and the socket has room. Call `flush` after the last ones.
    public func send(_ bytes: [UInt8]) {
        unsent += bytes
    }

    /// Bytes that may wait to be sent: far more than a client has to say to a server that reads.
    private static let unsentLimit = 256 << 10

    /// Writes as much as the socket takes.
    public func flush() {
        switch phase {
        case .lookingUp, .connecting, .closed: return
        case .securing, .open: break
        }
        if let tls { flush(through: tls) } else { flushPlain() }
        if unsent.count + (tls?.output.count ?? 0) > Self.unsentLimit { fail(.unreadRequests) }
    }

    private func flushPlain() {
        guard !unsent.isEmpty else { return }
        switch unsent.withUnsafeBytes({ socket?.write($0) ?? .wouldBlock }) {
        case .wrote(let count): unsent.removeFirst(count)
        case .wouldBlock: break
        case .failed(let error): return fail(.failed(error))
        }
        watch()
    }

    private func flush(through tls: TLSConnection) {
        if isOpen, !unsent.isEmpty {
            tls.write(unsent)
            unsent = []
        }
        guard !tls.output.isEmpty else { return watch() }
        switch socket?.write(tls.output) ?? .wouldBlock {
        case .wrote(let count): tls.sent(count)
        case .wouldBlock: break
        case .failed(let error): return fail(.failed(error))
        }
        watch()
    }

    /// Tells the event loop whether the connection waits for reading or writing.
    private func watch() {
        guard let fd = socket?.fd, let token else { return }
        var interest: Interest = credit == 0 ? [] : .read
        if !unsent.isEmpty || tls?.output.isEmpty == false { interest.insert(.write) }
        watcher.change(fd, interest, of: token)
    }
}

// MARK: - Limited reading

extension ServerLink {
    /// From now on, reads only what `allowReading` permits.
    public func limitReading() {
        if credit == nil { limit(to: 0) }
    }

    /// Permits to read `byteCount` more bytes, up to `limit` in total, if reading is limited.
    public func allowReading(byteCount: Int, atMost limit: Int) {
        guard let credit else { return }
        self.limit(to: min(credit + byteCount, limit))
    }

    private func limit(to byteCount: Int) {
        let couldRead = credit != 0
        credit = max(0, byteCount)
        if couldRead != (credit != 0) { watch() }
    }
}
