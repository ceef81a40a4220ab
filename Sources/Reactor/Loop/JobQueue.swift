import Synchronization

/// The jobs that wait for the next turn of an event loop.
final class JobQueue: Sendable {
    private struct Arrays {
        var waiting: [UnownedJob] = []
        /// An empty array that keeps its capacity; in use by the loop while it runs jobs.
        var spare: [UnownedJob] = []
    }

    private let arrays = Mutex(Arrays())

    var isEmpty: Bool { arrays.withLock { $0.waiting.isEmpty } }

    func append(_ job: UnownedJob) {
        arrays.withLock { $0.waiting.append(job) }
    }

    /// Runs the jobs in the queue, without the jobs that these enqueue; returns whether there were any.
    @discardableResult
    func run(on executor: UnownedSerialExecutor) -> Bool {
        // The two arrays are swapped, so that neither is allocated again.
        var batch: [UnownedJob] = []
        arrays.withLock { arrays in
            guard !arrays.waiting.isEmpty else { return }
            swap(&batch, &arrays.waiting)
            swap(&arrays.waiting, &arrays.spare)
        }
        guard !batch.isEmpty else { return false }
        for job in batch { job.runSynchronously(on: executor) }
        batch.removeAll(keepingCapacity: true)
        arrays.withLock { $0.spare = batch }
        return true
    }
}
