import Media
import RTP
import RTSP
import Reactor
import SDP
import TLS

/// One session: a `ClientConnection` with its TCP connection and the sockets of its tracks. Loop thread only.
final class ClientSession {
    let number: SessionNumber
    let plan: SessionPlan
    let watcher: any SocketWatcher
    let ssrc: SSRC
    let ports: () -> ClosedRange<UInt16>
    private let newToken: (_ socket: Int) -> Token
    private var connectionToken: Token?
    var machine: ClientConnection
    var tracks: [TrackBox] = []
    var outbox: [UInt8] = []
    private(set) var end: ClientSessionEnd?
    private(set) var isOver = false
    /// The number of bytes that may be read; `nil` without limit.
    private var credit: Int?
    private var socket: TCPSocket?
    /// `nil` without TLS.
    private var tls: TLSConnection?
    /// Whether the TCP connection is established.
    private var isOpen = false
    /// Whether RTSP messages can be sent: with TLS, after its handshake.
    private var isConnected = false
    private let connectDeadline: MonotonicTime
    private var reportDue = MonotonicTime.distantFuture
    /// When the connection was last read: the arrival of the interleaved packets among these bytes.
    private(set) var readTime = MonotonicTime(nanoseconds: 0)

    /// The timeout for the connection.
    private static let connectMilliseconds: Int64 = 10_000
    /// The interval of receiver reports (RFC 3550, section 6.2: at least five seconds).
    private static let reportMilliseconds: Int64 = 5_000

    init(
        _ number: SessionNumber, _ plan: SessionPlan, watcher: any SocketWatcher, ssrc: UInt32,
        ports: @escaping () -> ClosedRange<UInt16>, newToken: @escaping (_ socket: Int) -> Token,
        at now: MonotonicTime
    ) {
        self.number = number
        self.plan = plan
        self.watcher = watcher
        self.newToken = newToken
        self.ssrc = SSRC(ssrc)
        self.ports = ports
        var configuration = ClientConnection.Configuration()
        configuration.userAgent = plan.userAgent
        machine = ClientConnection(url: plan.url, configuration: configuration, login: plan.login)
        connectDeadline = now.advanced(byMilliseconds: Self.connectMilliseconds)
        connect()
    }

    /// Watches one of the session's sockets: 0 is the connection, then follow RTP and RTCP of each track.
    @discardableResult
    func watch(_ fd: Int32, _ interest: Interest, socket: Int) throws(SystemError) -> Token {
        let token = newToken(socket)
        try watcher.watch(fd, interest, as: token)
        return token
    }

    /// The time at which to call `deadlinePassed`.
    var nextDeadline: MonotonicTime {
        isConnected ? min(machine.nextDeadline, reportDue) : connectDeadline
    }

    var localAddress: SocketAddress? { socket?.localAddress }

    private func connect() {
        do throws(SystemError) {
            let socket = try TCPSocket(connectingTo: plan.server)
            try socket.sendWithoutDelay()
            if let byteCount = plan.receiveBufferByteCount { try socket.setReceiveBuffer(bytes: byteCount) }
            connectionToken = try watch(socket.fd, .write, socket: 0)
            self.socket = consume socket
        } catch {
            end = .failed(error)
        }
        do throws(IdentityFailure) {
            tls = try plan.security.map { (client) throws(IdentityFailure) in try TLSConnection(to: client, at: .now())
            }
        } catch {
            end = .noTLS(error)
        }
    }

    func fail(_ reason: ClientSessionEnd) {
        end = end ?? reason
    }

    func tearDown(at now: MonotonicTime) {
        if isConnected { machine.tearDown(at: now) } else { fail(.closed(.finished)) }
    }

    func deadlinePassed(at now: MonotonicTime) {
        guard isConnected else {
            return now < connectDeadline ? () : fail(.closed(.noAnswer(.options)))
        }
        machine.deadlinePassed(at: now)
        if reportDue <= now {
            sendReports(at: now)
            reportDue = now.advanced(byMilliseconds: Self.reportMilliseconds)
        }
    }

    func beginReporting(at now: MonotonicTime) {
        reportDue = now.advanced(byMilliseconds: Self.reportMilliseconds)
    }

    /// Closes all sockets. The owner gets no more events of the session.
    func closeSockets() {
        isOver = true
        for track in tracks { track.close(watcher) }
        if let fd = socket?.fd { watcher.unwatch(fd) }
        socket = nil
    }
}

extension ClientSession {
    func handle(
        _ readiness: Readiness, of socket: Int, _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime
    ) {
        guard end == nil else { return }
        guard socket == 0 else { return receiveDatagrams(socket: socket, &buffers, owner) }
        if !isOpen { return finishConnecting(owner, in: sessions, at: now) }
        if readiness.contains(.writable) { flush() }
        if credit == 0, !readiness.isDisjoint(with: [.error, .hangup]) { return fail(.closed(.endedByServer)) }
        if !readiness.isDisjoint(with: [.readable, .hangup, .error]) { read(&buffers, owner, in: sessions, at: now) }
    }

    private func finishConnecting(_ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime) {
        if let error = socket?.connectionFailure() { return fail(.failed(error)) }
        isOpen = true
        // With TLS, the first bytes of the handshake wait to be sent.
        guard tls == nil else { return flush() }
        begin(owner, in: sessions, at: now)
    }

    /// Starts the RTSP session on the established connection.
    private func begin(_ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime) {
        isConnected = true
        watch()
        owner.session(number, reached: .connected, of: sessions, at: now)
        machine.connected(at: now)
    }

    private func read(
        _ buffers: inout ReceiveBuffers, _ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime
    ) {
        let byteCount = min(credit ?? buffers.bytes.count, buffers.bytes.count)
        guard byteCount > 0 else { return }
        let outcome = buffers.bytes.withUnsafeMutableBytes { buffer in
            socket?.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])) ?? .wouldBlock
        }
        switch outcome {
        case .bytes(let count):
            if let credit { limit(to: credit - count) }
            if let tls { return receive(count, from: buffers, through: tls, owner, in: sessions, at: now) }
            receive(buffers.bytes.span.extracting(first: count), owner, in: sessions, at: now)
        case .wouldBlock: break
        case .end: machine.receivedEnd(at: now)
        case .failed(let error): fail(.failed(error))
        }
    }

    /// Decrypts the first `count` bytes and handles their content.
    private func receive(
        _ count: Int, from buffers: borrowing ReceiveBuffers, through tls: TLSConnection, _ owner: any SessionOwner,
        in sessions: Sessions, at now: MonotonicTime
    ) {
        var decrypted: [UInt8] = []
        buffers.bytes.withUnsafeBytes { bytes in
            tls.received(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { decrypted.append(contentsOf: $0) }
        }
        if let failure = tls.failure { return fail(.insecure(failure)) }
        if !isConnected, tls.phase == .established { begin(owner, in: sessions, at: now) }
        if !decrypted.isEmpty { receive(decrypted.span, owner, in: sessions, at: now) }
        if tls.phase == .ended { machine.receivedEnd(at: now) }
        flush()
    }

    /// Passes bytes of the connection to the state machine. Interleaved frames among them are handled without a copy.
    private func receive(
        _ bytes: Span<UInt8>, _ owner: any SessionOwner, in sessions: Sessions, at now: MonotonicTime
    ) {
        readTime = .now()
        machine.received(bytes.bytes, at: now)
        drain(sessions, owner, at: now)
    }

    /// Executes the state machine's actions.
    func drain(_ sessions: Sessions, _ owner: any SessionOwner, at now: MonotonicTime) {
        while end == nil, let action = machine.nextAction() {
            perform(action, sessions, owner, at: now)
        }
        flush()
        guard let end, !isOver else { return }
        isOver = true
        owner.session(number, reached: .ended(end), of: sessions, at: now)
    }

    func flush() {
        guard isOpen, socket != nil else { return }
        if let tls { return flush(through: tls) }
        guard !outbox.isEmpty else { return }
        let outcome = outbox.withUnsafeBytes { socket?.write($0) ?? .wouldBlock }
        switch outcome {
        case .wrote(let count): outbox.removeFirst(count)
        case .wouldBlock: break
        case .failed(let error): fail(.failed(error))
        }
        watch()
    }

    private func flush(through tls: TLSConnection) {
        if isConnected, !outbox.isEmpty {
            tls.write(outbox)
            outbox = []
        }
        guard !tls.output.isEmpty else { return watch() }
        switch socket?.write(tls.output) ?? .wouldBlock {
        case .wrote(let count): tls.sent(count)
        case .wouldBlock: break
        case .failed(let error): fail(.failed(error))
        }
        watch()
    }

    func limitReading() {
        if credit == nil { limit(to: 0) }
    }

    func allowReading(byteCount: Int, atMost limit: Int) {
        guard let credit else { return }
        self.limit(to: min(credit + byteCount, limit))
    }

    private func limit(to byteCount: Int) {
        let couldRead = credit != 0
        credit = max(0, byteCount)
        if couldRead != (credit != 0) { watch() }
    }

    /// Tells the event loop whether the connection waits for reading or writing.
    private func watch() {
        guard let fd = socket?.fd, let connectionToken else { return }
        var interest: Interest = credit == 0 ? [] : .read
        if !outbox.isEmpty || tls?.output.isEmpty == false { interest.insert(.write) }
        watcher.change(fd, interest, of: connectionToken)
    }
}
