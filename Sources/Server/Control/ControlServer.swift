import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Media
import Reactor
import Synchronization

/// Listens for commands such as `apus set` at a Unix socket, on its own thread, so that its clients cannot delay streams.
///
/// Only the user that runs the server, and root, may connect. A client sends one line, and has five seconds.
final class ControlServer: EventLoopHandler {
    private struct State: ~Copyable {
        /// Removes its file when it is released.
        var listener: UnixListener?
        var clients: [Token: ControlConnection] = [:]
        /// Deadlines of clients. The deadline of the listener's token is the end of a pause in accepting.
        var deadlines = DeadlineQueue<Token>()
        var lastToken = ControlServer.listenerToken.rawValue
    }

    private static let listenerToken = Token(rawValue: 1)
    /// Further clients are rejected: users and scripts need one or two.
    static let maximumClients = 16
    /// Time from the connection of a client to its end, in nanoseconds.
    private static let defaultTimeout: Int64 = 5_000_000_000
    /// Pause in accepting when no file descriptors are left, in nanoseconds.
    private static let pause: Int64 = 1_000_000_000

    private let loop: EventLoop
    private let timeout: Int64
    private let log: Logger
    private let answer: @Sendable (ControlRequest) -> ControlResponse
    private let state: Mutex<State>
    private let isStopping = Atomic(false)
    private let end = DispatchGroup()

    /// Listens at `path`. Its folder must exist. Requests are answered after `start`.
    ///
    /// - Parameters:
    ///   - timeout: how long a client may take, in nanoseconds.
    ///   - answer: is called on the control thread, for one request at a time.
    init(
        at path: String, timeout: Int64 = defaultTimeout, log: Logger,
        answer: @escaping @Sendable (ControlRequest) -> ControlResponse
    ) throws(SystemError) {
        loop = try EventLoop(name: "apus-control")
        self.timeout = timeout
        self.log = log
        self.answer = answer
        let listener = try UnixListener(at: path)
        try loop.add(listener.fd, .read, token: Self.listenerToken)
        state = Mutex(State(listener: listener))
    }

    func start() throws(SystemError) {
        try loop.start(self)
    }

    /// Stops the thread, and then removes the socket and disconnects the clients. Returns at once. May be called more than once.
    ///
    /// If the process ends before, the file of the socket remains; the next server replaces it.
    func stop() {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        loop.stop()
        end.enter()
        do throws(SystemError) {
            try startDetachedThread(name: "apus-control-end") {
                self.loop.join()
                self.state.withLock { state in
                    state.listener = nil
                    state.clients = [:]
                }
                self.end.leave()
            }
        } catch {
            // There is no thread that could wait. The process ends soon.
            end.leave()
        }
    }

    /// Waits until it has stopped, but not longer than `deadline`: a test of filters waits for their input.
    ///
    /// - Returns: whether it has stopped.
    func join(until deadline: DispatchTime) -> Bool { end.wait(timeout: deadline) == .success }

    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        state.withLock { state in
            for event in events {
                if event.token == Self.listenerToken {
                    acceptAll(&state, at: now)
                } else {
                    serve(event.token, &state)
                }
            }
            while let token = state.deadlines.popDue(at: now) { deadlinePassed(token, &state) }
            return state.deadlines.next
        }
    }

    // MARK: - Clients

    private func acceptAll(_ state: inout State, at now: MonotonicTime) {
        guard let fd = state.listener?.fd else { return }
        do throws(SystemError) {
            while let socket = try state.listener?.accept() { register(socket, &state, at: now) }
        } catch {
            loop.remove(fd)
            state.deadlines.set(Self.listenerToken, now + Self.pause)
            log.error("the control socket cannot accept clients for now", metadata: ["reason": "\(error)"])
        }
    }

    private func register(_ socket: consuming UnixSocket, _ state: inout State, at now: MonotonicTime) {
        let user = socket.peerUser
        let client = ControlConnection(socket)
        guard let user, Self.mayControl(user) else {
            log.warning("control refused", metadata: ["user": "\(user.map(String.init) ?? "unknown")"])
            return reject(client, because: "only root and the user that runs the server may use the control socket")
        }
        guard state.clients.count < Self.maximumClients else {
            return reject(client, because: "the control socket has \(Self.maximumClients) clients already; try again")
        }
        state.lastToken += 1
        let token = Token(rawValue: state.lastToken)
        do throws(SystemError) {
            try loop.add(client.socket.fd, .read, token: token)
        } catch {
            return log.error("control refused", metadata: ["reason": "\(error)"])
        }
        state.clients[token] = client
        state.deadlines.set(token, now + timeout)
    }

    /// Whether a process of `user` may control this process: under the same conditions, it could also kill it.
    static func mayControl(_ user: UInt32, to own: UInt32 = geteuid()) -> Bool {
        user == own || user == 0
    }

    private func serve(_ token: Token, _ state: inout State) {
        guard let client = state.clients[token] else { return }
        guard let interest = client.proceed(answered) else { return end(token, &state) }
        guard interest != client.interest else { return }
        client.interest = interest
        // The socket is open and registered, so this cannot fail.
        try? loop.change(client.socket.fd, interest, token: token)
    }

    private func answered(_ line: [UInt8]) -> ControlResponse {
        do {
            return answer(try JSONDecoder().decode(ControlRequest.self, from: Data(line)))
        } catch {
            return .refused([
                "the server, release \(apusVersion), does not know this request; use the same release of apus"
            ])
        }
    }

    private func deadlinePassed(_ token: Token, _ state: inout State) {
        if token == Self.listenerToken {
            guard let fd = state.listener?.fd else { return }
            // It was registered before, so this cannot fail.
            try? loop.add(fd, .read, token: token)
        } else {
            if let client = state.clients[token] { reject(client, because: "no complete request arrived in time") }
            end(token, &state)
        }
    }

    private func end(_ token: Token, _ state: inout State) {
        guard let client = state.clients.removeValue(forKey: token) else { return }
        loop.remove(client.socket.fd)
        state.deadlines.remove(token)
    }

    /// Sends a reason to the client. Bytes that do not fit into the socket are dropped.
    private func reject(_ client: ControlConnection, because reason: String) {
        client.say(.refused([reason]))
        _ = client.proceed { _ in .refused([]) }
    }
}
