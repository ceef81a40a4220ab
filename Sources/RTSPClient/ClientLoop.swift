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
        sessions = Sessions(loop: loop)
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
            throw .failed(error)
        }
    }

    public nonisolated func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        assumeIsolated { $0.isolatedTurn(events, now: now) }
    }

    private func isolatedTurn(_ events: Events, now: MonotonicTime) -> MonotonicTime {
        sessions.handle(events, for: owner, at: now)
        guard let next = owner.turn(sessions, at: now) else {
            loop.stop()
            return .distantFuture
        }
        return min(next, sessions.finishTurn(for: owner, at: now))
    }
}
