import Dispatch
import FoundationEssentials
import Glibc
import Logging
import Media
import Reactor
import Synchronization

/// The running server's ear for verbs such as `apus set`: a socket in the file system, on a thread of its own, so that
/// nothing a client does holds up a stream.
///
/// Only the user who runs the server, and root, are heard. A client has one line, and five seconds for it.
public final class ControlServer: EventLoopHandler {
    private struct State: ~Copyable {
        /// Leaves the file system when it goes.
        var listener: UnixListener?
        var clients: [Token: ControlConnection] = [:]
        /// Of clients; the listener's token stands for when accepting goes on.
        var deadlines = DeadlineQueue<Token>()
        var lastToken = ControlServer.listenerToken.rawValue
    }

    private static let listenerToken = Token(rawValue: 1)
    /// More at once are turned away: people and scripts need one or two.
    static let maximumClients = 16
    /// How long a client may take from its coming to its going, in nanoseconds.
    private static let defaultTimeout: Int64 = 5_000_000_000
    /// After running out of descriptors, in nanoseconds.
    private static let pause: Int64 = 1_000_000_000

    private let loop: EventLoop
    private let timeout: Int64
    private let log: Logger
    private let answer: @Sendable (ControlRequest) -> ControlResponse
    private let state: Mutex<State>

    /// Listens at `path`, whose folder exists; nobody is answered before `start`.
    ///
    /// - Parameters:
    ///   - timeout: with one client, in nanoseconds.
    ///   - answer: called on the control thread, for one request at a time.
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

    /// Ends the thread; the socket leaves the file system, and clients are let go. More than once.
    ///
    /// Waits for the request that is being answered, but no longer than so: filters may be under trial, which wait for what
    /// they read. The socket stays then; the next server replaces it.
    /// - Returns: whether the thread has ended.
    @discardableResult
    public func stop(withinMilliseconds milliseconds: Int = 250) -> Bool {
        loop.stop()
        let isEnded = DispatchSemaphore(value: 0)
        // Without a thread that waits, the socket stays: the next server replaces it.
        try? startDetachedThread(name: "apus-control-end") {
            self.loop.join()
            self.state.withLock { state in
                state.listener = nil
                state.clients = [:]
            }
            isEnded.signal()
        }
        return isEnded.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    public func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
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
            log.error("cannot accept at the control socket for now", metadata: ["reason": "\(error)"])
        }
    }

    private func register(_ socket: consuming UnixSocket, _ state: inout State, at now: MonotonicTime) {
        let user = socket.peerUser
        let client = ControlConnection(socket)
        guard let user, Self.mayControl(user) else {
            log.warning("control refused", metadata: ["user": "\(user.map(String.init) ?? "unknown")"])
            return reject(client, because: "only the user who runs the server, and root, may change it")
        }
        guard state.clients.count < Self.maximumClients else {
            return reject(client, because: "\(Self.maximumClients) others are speaking to the server; try again")
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

    /// Whether who runs as `user` may change what this process does: whoever could also kill it.
    static func mayControl(_ user: UInt32, to own: UInt32 = geteuid()) -> Bool {
        user == own || user == 0
    }

    private func serve(_ token: Token, _ state: inout State) {
        guard let client = state.clients[token] else { return }
        guard let interest = client.proceed(answered) else { return end(token, &state) }
        guard interest != client.interest else { return }
        client.interest = interest
        // The socket is open and watched: this cannot fail.
        try? loop.change(client.socket.fd, interest, token: token)
    }

    private func answered(_ line: [UInt8]) -> ControlResponse {
        do {
            return answer(try JSONDecoder().decode(ControlRequest.self, from: Data(line)))
        } catch {
            return .refused(["the server does not know this request; is it of the same release, \(apusVersion)?"])
        }
    }

    private func deadlinePassed(_ token: Token, _ state: inout State) {
        if token == Self.listenerToken {
            guard let fd = state.listener?.fd else { return }
            // It was watched before: this cannot fail.
            try? loop.add(fd, .read, token: token)
        } else {
            if let client = state.clients[token] { reject(client, because: "no whole request came in time") }
            end(token, &state)
        }
    }

    private func end(_ token: Token, _ state: inout State) {
        guard let client = state.clients.removeValue(forKey: token) else { return }
        loop.remove(client.socket.fd)
        state.deadlines.remove(token)
    }

    /// What does not fit into the socket at once is not waited for.
    private func reject(_ client: ControlConnection, because reason: String) {
        client.say(.refused([reason]))
        _ = client.proceed { _ in .refused([]) }
    }
}

extension ControlServer {
    /// The ear of `assembly`, as the configuration has it; `nil` where that wants none.
    ///
    /// Where it cannot be, the log says why, and the server goes on without.
    public static func start(for assembly: Assembly, _ configuration: Configuration, log: Logger) -> ControlServer? {
        guard let place = ControlSocketPath(configuration) else { return nil }
        do {
            try place.prepareFolder()
            let server = try ControlServer(at: place.path, log: log, answer: assembly.answer)
            try server.start()
            log.debug("control socket", metadata: ["path": "\(place.path)"])
            return server
        } catch {
            let reason = (error as? SystemError).map { describe($0, at: place.path) } ?? "\(error)"
            log.warning("no control socket, so `apus set` cannot reach this server: \(reason); see control.socket")
            return nil
        }
    }

    private static func describe(_ error: SystemError, at path: String) -> String {
        switch error.code {
        case EADDRINUSE: "another server answers at \(path)"
        case ENOTSOCK: "\(path) is another kind of file"
        default: "\(path): \(error)"
        }
    }
}
