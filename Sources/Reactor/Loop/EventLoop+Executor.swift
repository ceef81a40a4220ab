/// The loop as an executor: an actor returns it as `unownedExecutor`. Other tasks may await the actor; the loop's turn enters
/// it by `assumeIsolated`, without a hop.
extension EventLoop: SerialExecutor {
    /// Runs `job` on the loop's thread, before the handler of its next turn. Any thread may call this.
    public func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
        wakeForJobs()
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Traps unless it is called on the loop's thread; used by `assumeIsolated`.
    public func checkIsolated() {
        precondition(isCurrent, "this state belongs to the event loop's thread")
    }

    /// Whether the caller runs on the loop's thread; `assumeIsolated` calls this before `checkIsolated`.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}

extension EventLoop {
    /// Returns after the loop has run a job, which shows that it still turns. Never returns if the loop is stuck or has ended.
    public func turned() async {
        await TurnProbe(to: self).run()
    }
}

/// An actor on the loop's thread; awaiting it waits for a turn.
private actor TurnProbe {
    private nonisolated let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(to loop: EventLoop) {
        self.loop = loop
    }

    func run() {}
}
