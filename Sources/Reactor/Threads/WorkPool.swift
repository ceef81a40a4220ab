import Synchronization

/// A few threads for work that blocks, such as the look-up of a name. A thread starts when there is work for it, and ends when there
/// is no more. Any thread may call the methods.
///
/// Dispatch queues and Swift's tasks have too few threads for work that blocks: other work would wait.
public final class WorkPool: Sendable {
    public typealias Work = @Sendable () -> Void

    private struct State {
        var threadCount = 0
        /// The oldest first.
        var waiting: [Work] = []
    }

    private let name: String
    private let threadLimit: Int
    private let waitingLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the threads' name; the kernel shows 15 bytes of it.
    ///   - threadLimit: how much work is done at the same time.
    ///   - waitingLimit: how much more may wait.
    public init(name: String, threadLimit: Int, waitingLimit: Int) {
        self.name = name
        self.threadLimit = max(1, threadLimit)
        self.waitingLimit = max(0, waitingLimit)
    }

    /// Runs `work` on one of the threads, at once or when one is free. Returns at once.
    ///
    /// - Returns: whether it will run: not if too much waits, or if no thread can be started.
    public func run(_ work: @escaping Work) -> Bool {
        // A thread starts inside the lock, so that work never waits for a thread that cannot start.
        state.withLock { state in
            if state.threadCount < threadLimit, start(with: work) {
                state.threadCount += 1
                return true
            }
            guard state.threadCount > 0, state.waiting.count < waitingLimit else { return false }
            state.waiting.append(work)
            return true
        }
    }

    /// - Returns: whether a thread has started.
    private func start(with work: @escaping Work) -> Bool {
        do throws(SystemError) {
            try startDetachedThread(name: name) { [self] in
                var next: Work? = work
                while let work = next {
                    work()
                    next = takeNext()
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// The work that has waited longest; `nil` if the thread is to end.
    private func takeNext() -> Work? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
