import CLinux
import Glibc
import Media
import Synchronization

/// The code that an event loop runs: usually an actor with that loop as executor, which enters itself by `assumeIsolated`.
///
/// The loop allocates nothing per turn. `assumeIsolated` allocates twice (Swift 6.3.1), so that it is called once per turn
/// instead of once per event.
public protocol EventLoopHandler: AnyObject, Sendable {
    /// Handles one turn, on the loop's thread: a batch of events, a passed deadline or a wake-up.
    ///
    /// - Parameters:
    ///   - events: The descriptors that are ready; valid until this returns.
    ///   - wasWoken: Whether `wake()` was called since the last turn.
    ///   - now: The beginning of the turn.
    /// - Returns: The deadline of the next turn.
    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime
}

/// A thread that waits for descriptors, deadlines and wake-ups, and the executor of the actors that are confined to it.
///
/// A turn has four steps: wait; read the clock once; run the executor's jobs; call the handler. After `stop()`, the thread runs
/// the jobs that are already in the queue and ends; later jobs never run.
///
/// The conformance is unchecked because `poller` and `now` belong to the loop's thread; all other state is atomic or locked.
public final class EventLoop: @unchecked Sendable {
    /// The thread's name; the kernel shows 15 bytes of it.
    public let name: String
    /// The beginning of the current turn. Loop thread only.
    public private(set) var now = MonotonicTime.now()

    let jobs = JobQueue()
    private let poller: Poller
    private let signal: WakeSignal
    private let processor: Int?
    private let isWakeRequested = Atomic(false)
    private let isStopRequested = Atomic(false)
    private let threadNumber = Atomic<UInt64>(0)
    private let thread = Mutex<pthread_t?>(nil)

    /// Creates a loop that does not run yet. Until `start`, the creating thread may add descriptors.
    ///
    /// - Parameter processor: The processor to run on; ignored if the process may not use it.
    public init(name: String, processor: Int? = nil) throws(SystemError) {
        self.name = name
        self.processor = processor
        poller = try Poller()
        signal = try WakeSignal()
        try poller.add(signal.fd, [.read, .edge], .wake)
    }

    /// Starts the thread, which retains `handler` until it ends. May be called once.
    public func start(_ handler: any EventLoopHandler) throws(SystemError) {
        let thread = try startThread { self.run(handler) }
        self.thread.withLock { current in
            precondition(current == nil, "a loop starts once")
            current = thread
        }
    }

    /// Causes a turn with `wasWoken`. Any thread may call this; if a wake-up is already pending, it costs one atomic operation.
    public func wake() {
        isWakeRequested.store(true, ordering: .releasing)
        signal.raise()
    }

    /// Ends the thread after its current turn. Any thread may call this, more than once.
    public func stop() {
        isStopRequested.store(true, ordering: .releasing)
        signal.raise()
    }

    /// Waits until the thread has ended; returns at once if it never started or was joined. Must not be called on the loop's
    /// thread.
    public func join() {
        let thread = self.thread.withLock { $0.take() }
        if let thread { pthread_join(thread, nil) }
    }

    /// Makes the thread release its memory when it ends, so that no `join` is needed. Must be called after `start`.
    func detach() {
        let thread = self.thread.withLock { $0.take() }
        if let thread { pthread_detach(thread) }
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { threadNumber.load(ordering: .relaxed) == clinux_this_thread() }

    /// Watches `fd`, which the owner must remove before closing it. Loop thread only.
    public func add(_ fd: Int32, _ interest: Interest, token: Token) throws(SystemError) {
        precondition(token != .wake, "the largest token is reserved for the loop")
        try poller.add(fd, interest, token)
    }

    /// Changes the events to be reported for `fd`. Loop thread only.
    public func change(_ fd: Int32, _ interest: Interest, token: Token) throws(SystemError) {
        try poller.change(fd, interest, token)
    }

    /// Stops watching `fd`, if it is watched. Loop thread only.
    public func remove(_ fd: Int32) {
        poller.remove(fd)
    }

    /// Causes a turn that runs the executor's jobs.
    func wakeForJobs() {
        // A job that enqueues another needs no signal: the loop checks the queue before it waits.
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

    /// Nanoseconds to wait; `nil` to wait without a limit.
    private func waitingTime(until deadline: MonotonicTime) -> Int64? {
        if !jobs.isEmpty { return 0 }
        if deadline == .distantFuture { return nil }
        let current = MonotonicTime.now()
        return deadline <= current ? 0 : deadline - current
    }
}
