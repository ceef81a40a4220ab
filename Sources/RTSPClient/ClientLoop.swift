import Media
import Reactor

/// An event loop that runs any number of sessions for one owner.
public actor ClientLoop: EventLoopHandler {
    private let loop: EventLoop
    private let sessions: Sessions
    private let owner: any SessionOwner

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(loop: EventLoop, owner: sending any SessionOwner) {
        self.loop = loop
        sessions = Sessions(on: WholeLoop(loop))
        self.owner = owner
    }

    /// Runs `owner`'s sessions on their own thread until the owner stops the loop; blocks the calling thread.
    public static func run(_ owner: sending any SessionOwner) throws(ClientSessionEnd) {
        DescriptorLimit.raise()
        do throws(SystemError) {
            let loop = try EventLoop(name: "client")
            try loop.start(ClientLoop(loop: loop, owner: owner))
            loop.join()
        } catch {
            throw .connection(.failed(error))
        }
    }

    public nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.isolatedTurn(events, now: now) }
    }

    private func isolatedTurn(_ events: Events, now: MonotonicTime) -> MonotonicTime {
        for event in events { sessions.handle(event, for: owner, at: now) }
        sessions.passDeadlines(at: now)
        guard let next = owner.turn(sessions, at: now) else {
            loop.stop()
            return .distantFuture
        }
        return min(next, sessions.finishTurn(for: owner, at: now))
    }
}

/// All sockets of a loop of its own.
private final class WholeLoop: SocketWatcher {
    private let loop: EventLoop
    private var lastToken: UInt64 = 0

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func nextToken() -> Token {
        lastToken += 1
        return Token(rawValue: lastToken)
    }

    func watch(_ fd: Int32, _ interest: Interest, as token: Token) throws(SystemError) {
        try loop.add(fd, interest, token: token)
    }

    func change(_ fd: Int32, _ interest: Interest, of token: Token) {
        // The socket is open and watched: this cannot fail.
        try? loop.change(fd, interest, token: token)
    }

    func unwatch(_ fd: Int32) { loop.remove(fd) }
}
