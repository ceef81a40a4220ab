/// The loop as the executor of actors: an actor names it in `unownedExecutor`, may be awaited from anywhere, and is
/// entered without a hop, by `assumeIsolated`, from the loop's own turn.
extension EventLoop: SerialExecutor {
    /// Runs `job` on the loop's thread, before the handler of its next turn. From any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
        wakeForJobs()
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Traps unless the caller runs on the loop's thread; `assumeIsolated` asks.
    public func checkIsolated() {
        precondition(isCurrent, "this state belongs to the event loop's thread")
    }

    /// Whether the caller runs on the loop's thread; `assumeIsolated` asks before `checkIsolated`.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}

extension EventLoop {
    /// Returns once the loop's thread has come round to it: it turns. Never where the loop is stuck, or has ended.
    public func turned() async {
        await Visitor(to: self).visit()
    }
}

/// Whoever awaits it has been on the loop's thread.
private actor Visitor {
    private nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(to loop: EventLoop) {
        self.loop = loop
    }

    func visit() {}
}
