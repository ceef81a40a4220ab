import Media
import Synchronization

/// A thread that runs work in the order in which it was handed over, at once or at an instant.
///
/// All dispatch queues of a process share 255 threads, and Swift's tasks share one per core. If these block, other work waits.
/// This thread is its owner's alone. It ends with this object; work that waits by then does not run. All methods may be called
/// from any thread.
public final class WorkThread: Sendable {
    private let loop: EventLoop
    private let worker = Worker()

    /// Starts the thread.
    ///
    /// - Parameter name: of the thread. The kernel shows 15 bytes of it.
    public init(name: String) throws(SystemError) {
        loop = try EventLoop(name: name)
        try loop.start(worker)
        loop.detach()
    }

    deinit {
        loop.stop()
    }

    /// Runs `work` after the work that was handed over before; returns at once.
    public func run(_ work: @escaping @Sendable () -> Void) {
        worker.add(work)
        loop.wake()
    }

    /// Runs `work` at `instant`, or as soon as the thread has time; returns at once.
    public func run(at instant: MonotonicTime, _ work: @escaping @Sendable () -> Void) {
        worker.add(work, at: instant)
        loop.wake()
    }
}

/// Lets a task run on this thread: `Task(executorPreference: thread)`. The task needs no thread of Swift's pool.
extension WorkThread: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The part that the thread holds.
private final class Worker: EventLoopHandler {
    typealias Work = @Sendable () -> Void

    private struct State {
        var ready: [Work] = []
        var later: [UInt64: Work] = [:]
        /// Of the keys of `later`.
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
        // Work that was handed over meanwhile has woken the loop again.
        return next
    }
}
