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
        enum Place { case thread, queue, none }
        let place = state.withLock { state -> Place in
            if state.threadCount < threadLimit {
                state.threadCount += 1
                return .thread
            }
            guard state.waiting.count < waitingLimit else { return .none }
            state.waiting.append(work)
            return .queue
        }
        switch place {
        case .thread: return start(with: work)
        case .queue: return true
        case .none: return false
        }
    }

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
            // Work waits only while all other threads are busy, and they take it.
            state.withLock { $0.threadCount -= 1 }
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
