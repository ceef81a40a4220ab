import Synchronization

/// The jobs that wait for a loop's next turn.
final class JobQueue: Sendable {
    private struct Arrays {
        var waiting: [UnownedJob] = []
        /// Empty, with room from earlier turns; lent to the loop while it runs jobs.
        var spare: [UnownedJob] = []
    }

    private let arrays = Mutex(Arrays())

    var isEmpty: Bool { arrays.withLock { $0.waiting.isEmpty } }

    func append(_ job: UnownedJob) {
        arrays.withLock { $0.waiting.append(job) }
    }

    /// Runs the jobs that wait now, not those that they enqueue; answers whether there was any.
    @discardableResult
    func run(on executor: UnownedSerialExecutor) -> Bool {
        // Two arrays change places, so that neither is allocated anew.
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
