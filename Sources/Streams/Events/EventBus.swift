import DequeModule
import Synchronization

/// Passes the events of a server to subscribers, each with a bounded queue. Thread-safe.
///
/// Publishing never waits: an event that finds a queue full replaces its oldest event. The last events are kept, so that a subscriber
/// that comes back gets what it has missed. Before the first subscription, publishing costs the reading of one number.
public final class EventBus: Sendable {
    private struct State {
        var number: UInt64 = 0
        var queues: [EventQueue] = []
        /// The last events, up to `number`.
        var history: Deque<StreamEvent> = []
    }

    /// 16 webhooks, and over a hundred clients of HTTP. Each subscription costs every publisher some time.
    public static let maximumSubscriptions = 128
    /// The events that are kept, of some hundred bytes each. As many wait for a client of HTTP, so that it can take all of them.
    public static let historyCapacity = 256

    private let run: String
    private let now: @Sendable () -> Int64
    /// Whether there has ever been a subscriber. Events are kept from then on, because a subscriber may come back.
    private let isFollowed = Atomic(false)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - run: a text that no other run of a server has, as the beginning of ``StreamEvent/id``.
    ///   - now: reads the wall clock, in nanoseconds since 1970, because this module makes no system calls.
    public init(run: String, now: @escaping @Sendable () -> Int64) {
        (self.run, self.now) = (run, now)
    }

    /// Passes an event to all subscribers that want it. Any thread may call this; it does not block.
    ///
    /// - Parameter occurrence: is not called before the first subscription.
    public func publish(_ path: String, _ occurrence: () -> StreamEvent.Occurrence) {
        guard isFollowed.load(ordering: .relaxed) else { return }
        let (occurrence, time) = (occurrence(), now())
        let woken = state.withLock { state in
            state.number += 1
            let event = StreamEvent(
                id: "\(run)-\(state.number)", number: state.number, unixNanoseconds: time, path: path,
                occurrence: occurrence)
            if state.history.count == Self.historyCapacity { state.history.removeFirst() }
            state.history.append(event)
            // Under the lock, so that every queue has the events in the order of their numbers.
            return state.queues.filter { $0.append(event) }
        }
        for queue in woken { queue.wake() }
    }

    /// Queues all later events that pass `isWanted`, until the subscription is released.
    ///
    /// - Parameters:
    ///   - lastID: the ``StreamEvent/id`` of the last event that the subscriber has got before. The later ones that are kept are queued,
    ///     too. `nil` for none of them.
    ///   - capacity: how many events may wait.
    ///   - waker: is woken after each event, on the thread of its publisher; not retained.
    ///   - isWanted: is called on the threads of publishers while the bus is locked, so it must be fast.
    /// - Returns: `nil` if there are ``maximumSubscriptions``.
    public func subscribe(
        after lastID: String? = nil, capacity: Int = 256, waking waker: (any Waker)? = nil,
        _ isWanted: @escaping @Sendable (StreamEvent) -> Bool = { _ in true }
    ) -> EventSubscription? {
        state.withLock { state in
            guard state.queues.count < Self.maximumSubscriptions else { return nil }
            let queue = EventQueue(capacity: capacity, waker: waker, isWanted)
            state.queues.append(queue)
            isFollowed.store(true, ordering: .relaxed)
            let position = "\(run)-\(state.number)"
            guard let lastID else { return EventSubscription(to: queue, on: self, after: position, .empty) }
            let last = number(lastID, upTo: state.number)
            for event in state.history where event.number > last ?? 0 { _ = queue.append(event) }
            let oldest = state.history.first?.number ?? state.number + 1
            let gap =
                last.map { last in oldest > last + 1 ? EventGap.events(Int(oldest - last - 1)) : EventGap.empty }
                ?? .unknown
            return EventSubscription(to: queue, on: self, after: lastID, gap)
        }
    }

    /// The number of an event that this bus has published; `nil` if the identifier is that of another run, or no identifier.
    private func number(_ id: String, upTo last: UInt64) -> UInt64? {
        guard id.hasPrefix(run + "-"), let number = UInt64(id.dropFirst(run.utf8.count + 1)), number <= last else {
            return nil
        }
        return number
    }

    fileprivate func remove(_ queue: EventQueue) {
        state.withLock { state in state.queues.removeAll { $0 === queue } }
    }
}

/// What a subscriber that has come back cannot get, because it is no longer kept.
public enum EventGap: Hashable, Sendable {
    case empty
    /// So many events of all paths and kinds.
    case events(Int)
    /// The identifier that the subscriber has named is that of another run of the server.
    case unknown
}

/// A subscriber's queue of events. It ends with this object. Thread-safe.
public final class EventSubscription: Sendable {
    private let queue: EventQueue
    private let bus: EventBus
    /// The ``StreamEvent/id`` of the event after which the queue begins.
    public let position: String
    public let gap: EventGap

    fileprivate init(to queue: EventQueue, on bus: EventBus, after position: String, _ gap: EventGap) {
        (self.queue, self.bus, self.position, self.gap) = (queue, bus, position, gap)
    }

    deinit { bus.remove(queue) }

    /// Removes the oldest events from the queue.
    ///
    /// - Returns: them, and how many older ones were dropped since the last call because the queue was full.
    public func take(atMost count: Int = .max) -> (events: [StreamEvent], droppedCount: Int) { queue.take(count) }

    /// How many events wait.
    public var waitingCount: Int { queue.waitingCount }
}

/// The bus's end of a subscription.
private final class EventQueue: Sendable {
    private struct State {
        var events: Deque<StreamEvent> = []
        var droppedCount = 0
        weak var waker: (any Waker)?
    }

    private let capacity: Int
    private let isWanted: @Sendable (StreamEvent) -> Bool
    private let state: Mutex<State>

    init(capacity: Int, waker: (any Waker)?, _ isWanted: @escaping @Sendable (StreamEvent) -> Bool) {
        (self.capacity, self.isWanted) = (max(1, capacity), isWanted)
        state = Mutex(State(waker: waker))
    }

    /// - Returns: whether the event was wanted.
    func append(_ event: StreamEvent) -> Bool {
        guard isWanted(event) else { return false }
        state.withLock { state in
            if state.events.count == capacity {
                state.events.removeFirst()
                state.droppedCount += 1
            }
            state.events.append(event)
        }
        return true
    }

    func wake() { state.withLock(\.waker)?.wake() }

    func take(_ count: Int) -> ([StreamEvent], Int) {
        state.withLock { state in
            let taken = Array(state.events.prefix(count))
            state.events.removeFirst(taken.count)
            defer { state.droppedCount = 0 }
            return (taken, state.droppedCount)
        }
    }

    var waitingCount: Int { state.withLock { $0.events.count } }
}
