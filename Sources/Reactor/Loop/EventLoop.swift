import CLinux
import Glibc
import Media
import Synchronization

/// What a loop runs: usually an actor whose executor is that loop, and which enters itself with `assumeIsolated`.
///
/// The loop allocates nothing per turn; `assumeIsolated` allocates twice (Swift 6.3.1), so it is entered once per turn
/// and not per event.
public protocol EventLoopHandler: AnyObject, Sendable {
    /// One turn, on the loop's thread: once per batch of events, passed deadline or wake-up.
    ///
    /// - Parameters:
    ///   - events: What is ready; valid until this returns.
    ///   - wasWoken: Whether `wake()` was called since the last turn.
    ///   - now: When the turn began.
    /// - Returns: The instant at which it wants to be called next, at the latest.
    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime
}

/// A thread that waits for descriptors, deadlines and wake-ups, and is the executor of the actors confined to it.
///
/// A turn is: wait; read the clock once; run the executor's jobs; call the handler. The thread ends after `stop()`,
/// once the jobs that were enqueued by then have run; jobs enqueued later never run.
///
/// `poller` and `now` belong to the loop's thread, all else is atomic or locked: hence the unchecked conformance.
public final class EventLoop: @unchecked Sendable {
    /// The thread's name, of which the kernel shows 15 bytes.
    public let name: String
    /// When the current turn began. Loop thread only.
    public private(set) var now = MonotonicTime.now()

    let jobs = JobQueue()
    private let poller: Poller
    private let signal: WakeSignal
    private let processor: Int?
    private let isWakeRequested = Atomic(false)
    private let isStopRequested = Atomic(false)
    private let threadNumber = Atomic<UInt64>(0)
    private let thread = Mutex<pthread_t?>(nil)

    /// A loop that does not run yet: descriptors may be added from the creating thread until `start`.
    ///
    /// - Parameter processor: The processor to stay on: a wish, ignored where the process may not use it.
    public init(name: String, processor: Int? = nil) throws(SystemError) {
        self.name = name
        self.processor = processor
        poller = try Poller()
        signal = try WakeSignal()
        try poller.add(signal.fd, [.read, .edge], .wake)
    }

    /// Starts the thread, which keeps `handler` until it ends. At most once.
    public func start(_ handler: any EventLoopHandler) throws(SystemError) {
        let thread = try startThread { self.run(handler) }
        self.thread.withLock { current in
            precondition(current == nil, "a loop starts once")
            current = thread
        }
    }

    /// Has the handler's turn called with `wasWoken`, soon. From any thread; costs one atomic where one is under way.
    public func wake() {
        isWakeRequested.store(true, ordering: .releasing)
        signal.raise()
    }

    /// Ends the thread after its current turn. From any thread, more than once.
    public func stop() {
        isStopRequested.store(true, ordering: .releasing)
        signal.raise()
    }

    /// Waits until the thread has ended; returns at once where it never started or was joined.
    /// Not from the loop's thread.
    public func join() {
        let thread = self.thread.withLock { $0.take() }
        if let thread { pthread_join(thread, nil) }
    }

    /// Lets the thread end without `join`, after `stop`. Its memory is released then. Called after `start`.
    func detach() {
        let thread = self.thread.withLock { $0.take() }
        if let thread { pthread_detach(thread) }
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { threadNumber.load(ordering: .relaxed) == clinux_this_thread() }

    /// Watches `fd`, which its owner removes before closing it. Loop thread only.
    public func add(_ fd: Int32, _ interest: Interest, token: Token) throws(SystemError) {
        precondition(token != .wake, "the largest token is the loop's own")
        try poller.add(fd, interest, token)
    }

    /// Changes what to be told of `fd`. Loop thread only.
    public func change(_ fd: Int32, _ interest: Interest, token: Token) throws(SystemError) {
        try poller.change(fd, interest, token)
    }

    /// Stops watching `fd`; without effect where it is not watched. Loop thread only.
    public func remove(_ fd: Int32) {
        poller.remove(fd)
    }

    /// Has the executor's jobs run, soon.
    func wakeForJobs() {
        // A job that enqueues another needs no signal: the loop looks again before it waits.
        if !isCurrent { signal.raise() }
    }
}

extension EventLoop {
    private func run(_ handler: any EventLoopHandler) {
        prepareThread()
        var deadline = MonotonicTime(nanoseconds: .min)
        while !isStopRequested.load(ordering: .acquiring) {
            let ready = poller.wait(nanoseconds: waitingTime(until: deadline))
            signal.rearm()
            now = .now()
            jobs.run(on: asUnownedSerialExecutor())
            let wasWoken = isWakeRequested.exchange(false, ordering: .acquiringAndReleasing)
            deadline = handler.turn(Events(ready), wasWoken: wasWoken, now: now)
        }
        while jobs.run(on: asUnownedSerialExecutor()) {}
        threadNumber.store(0, ordering: .relaxed)
    }

    private func prepareThread() {
        threadNumber.store(clinux_this_thread(), ordering: .relaxed)
        clinux_name_this_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
        clinux_make_timers_exact()
        if let processor, let number = Int32(exactly: processor) { _ = clinux_pin_this_thread(number) }
    }

    /// Nanoseconds to wait; `nil` for ever.
    private func waitingTime(until deadline: MonotonicTime) -> Int64? {
        if !jobs.isEmpty { return 0 }
        if deadline == .distantFuture { return nil }
        let current = MonotonicTime.now()
        return deadline <= current ? 0 : deadline - current
    }
}
