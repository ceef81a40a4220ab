import Delivery
import Synchronization

/// The mailboxes of the media loops, which get orders by turns, so that each loop has as much to do. Thread-safe.
public final class LoopTurns<Order: Sendable>: Sendable {
    private struct State {
        var mailboxes: [Mailbox<Order>] = []
        var lastIndex = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Makes the mailbox of a loop.
    public func mailbox(at place: LoopPlace) -> Mailbox<Order> {
        let mailbox: Mailbox<Order> = place.makeMailbox()
        state.withLock { $0.mailboxes.append(mailbox) }
        return mailbox
    }

    /// The mailbox of the loop whose turn it is; `nil` before the loops exist.
    public func next() -> Mailbox<Order>? {
        state.withLock { state in
            guard !state.mailboxes.isEmpty else { return nil }
            state.lastIndex = (state.lastIndex + 1) % state.mailboxes.count
            return state.mailboxes[state.lastIndex]
        }
    }
}
