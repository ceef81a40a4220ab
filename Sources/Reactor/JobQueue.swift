import Synchronization

/// The jobs that wait for a loop's next turn.
final class JobQueue: Sendable {
    private let waiting = Mutex<[UnownedJob]>([])
    /// Jobs to run next; only the loop's thread touches it, but for its lock, which is then always free.
    private let running = Mutex<[UnownedJob]>([])

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    func append(_ job: UnownedJob) {
        waiting.withLock { $0.append(job) }
    }

    /// Runs the jobs that wait now, not those that they enqueue; answers whether there was any.
    @discardableResult
    func run(on executor: UnownedSerialExecutor) -> Bool {
        // Two arrays swap places, so that neither is ever allocated anew.
        var batch = running.withLock { take(&$0) }
        waiting.withLock { swap(&$0, &batch) }
        let ranAny = !batch.isEmpty
        for job in batch { job.runSynchronously(on: executor) }
        batch.removeAll(keepingCapacity: true)
        running.withLock { $0 = batch }
        return ranAny
    }

    private func take(_ array: inout [UnownedJob]) -> [UnownedJob] {
        var taken: [UnownedJob] = []
        swap(&taken, &array)
        return taken
    }
}
