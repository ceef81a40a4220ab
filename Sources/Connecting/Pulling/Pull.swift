import Delivery
import Reactor
import Synchronization

/// A stream that is pulled from another server into a stream here. A source makes it and waits; a media loop carries it out. Thread-safe.
///
/// `Plan` says what is pulled, from where and how; `End` says why the pull has ended. Each protocol has its own.
public final class Pull<Plan: Sendable, End: Sendable>: Sendable {
    public let plan: Plan
    /// Closed by ``stop()``.
    public let input: StreamInput
    private let end = Mutex<End?>(nil)
    private let bell: Doorbell
    /// Passes orders to what carries it out.
    private let orders = Mutex<(@Sendable (PullOrder<Plan, End>) -> Void)?>(nil)

    public init(_ plan: Plan, into input: StreamInput) throws(SystemError) {
        (self.plan, self.input) = (plan, input)
        bell = try Doorbell()
    }

    /// What is received; `nil` before the first second of media.
    public var status: ReceptionStatus? { input.status }

    /// Waits until the pull has ended, or was cancelled. Blocks.
    ///
    /// - Returns: `nil` if it was cancelled.
    public func wait() -> End? {
        while !input.isClosed {
            if let end = end.withLock(\.self) { return end }
            bell.wait(milliseconds: .max)
        }
        return nil
    }

    /// Begins it on a loop.
    public func start(on loop: Mailbox<PullOrder<Plan, End>>) {
        start { loop.put($0) }
    }

    /// Begins it on a thread that gets its orders by `order`, which must not wait.
    public func start(by order: @escaping @Sendable (PullOrder<Plan, End>) -> Void) {
        orders.withLock { $0 = order }
        order(.start(self))
        // It may have been stopped before the thread was known.
        if input.isClosed { order(.stop(self)) }
    }

    /// Asks the server for a keyframe, if its protocol has such requests.
    public func requestKeyframe() {
        orders.withLock(\.self)?(.requestKeyframe(self))
    }

    /// Ends it: `wait` returns at once, nothing more is published, and the server is told.
    public func stop() {
        input.close()
        bell.ring()
        orders.withLock(\.self)?(.stop(self))
    }

    /// Notes why it has ended. Called by the loop.
    public func end(_ reason: End) {
        end.withLock { $0 = $0 ?? reason }
        bell.ring()
    }
}

/// What a loop is to do.
public enum PullOrder<Plan: Sendable, End: Sendable>: Sendable {
    case start(Pull<Plan, End>)
    case stop(Pull<Plan, End>)
    case requestKeyframe(Pull<Plan, End>)
}
