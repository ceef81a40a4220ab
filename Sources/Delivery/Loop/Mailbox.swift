import Reactor
import Synchronization

/// Carries messages to a loop, which is woken by each. It uses no task, because tasks share few threads. Thread-safe.
///
/// The number of messages is not bounded here: each sender bounds what it has under way.
public final class Mailbox<Message: Sendable>: Sendable {
    private let waiting = Mutex<[Message]>([])
    private let loop: EventLoop

    public init(waking loop: EventLoop) {
        self.loop = loop
    }

    /// Whether no message waits.
    public var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    /// Adds a message, and wakes the loop.
    public func put(_ message: Message) {
        waiting.withLock { $0.append(message) }
        loop.wake()
    }

    /// Takes the messages that have waited longest, at most `maximumCount`.
    public func take(upTo maximumCount: Int = .max) -> [Message] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            let taken = Array(waiting.prefix(maximumCount))
            waiting.removeFirst(taken.count)
            return taken
        }
    }
}
