import Media
import Synchronization

/// A thread that runs work in the order of submission, at once or at a given instant.
///
/// All dispatch queues of a process share 255 threads, and Swift's tasks share one per core. If these block, other work waits.
/// This thread serves only its owner. It ends with this object; work that is still pending then does not run. Any thread may call
/// the methods.
public final class WorkThread: Sendable {
    private let loop: EventLoop
    private let worker = Worker()

    /// Starts the thread.
    ///
    /// - Parameter name: The thread's name; the kernel shows 15 bytes of it.
    public init(name: String) throws(SystemError) {
        loop = try EventLoop(name: name)
        try loop.start(worker)
        loop.detach()
    }

    deinit {
        loop.stop()
    }

    /// Runs `work` after the work that was submitted before; returns at once.
    public func run(_ work: @escaping @Sendable () -> Void) {
        worker.add(work)
        loop.wake()
    }

    /// Runs `work` at `instant`, or as soon after it as the thread is free; returns at once.
    public func run(at instant: MonotonicTime, _ work: @escaping @Sendable () -> Void) {
        worker.add(work, at: instant)
        loop.wake()
    }
}

/// Lets a task run on this thread: `Task(executorPreference: thread)`. The task then needs no thread of Swift's pool.
extension WorkThread: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The state that the thread retains.
private final class Worker: EventLoopHandler {
    typealias Work = @Sendable () -> Void

    private struct State {
        var ready: [Work] = []
        var later: [UInt64: Work] = [:]
        /// Deadlines of the keys of `later`.
        var deadlines = DeadlineQueue<UInt64>()
        var lastKey: UInt64 = 0
    }

    private let state = Mutex(State())

    func add(_ work: @escaping Work) {
        state.withLock { $0.ready.append(work) }
    }

    func add(_ work: @escaping Work, at instant: MonotonicTime) {
        state.withLock { state in
            state.lastKey += 1
            state.later[state.lastKey] = work
            state.deadlines.set(state.lastKey, instant)
        }
    }

    func turn(_ events: Events, wasWoken: Bool, now: MonotonicTime) -> MonotonicTime {
        let (due, next) = state.withLock { state in
            var due: [Work] = []
            swap(&due, &state.ready)
            while let key = state.deadlines.popDue(at: now) {
                if let work = state.later.removeValue(forKey: key) { due.append(work) }
            }
            return (due, state.deadlines.next)
        }
        for work in due { work() }
        // Work submitted meanwhile has woken the loop again.
        return next
    }
}
