import NIOCore

/// The only deadline of a connection. Moving it later costs nothing: the timer is set again when it fires too early. Confined to
/// the event loop.
final class ConnectionTimer {
    private let loop: any EventLoop
    private var fire: () -> Void
    private var deadline = NIODeadline.distantFuture
    private var scheduled: (at: NIODeadline, task: Scheduled<Void>)?

    /// - Parameter fire: is called when the deadline has passed.
    init(on loop: any EventLoop, fire: @escaping () -> Void) {
        (self.loop, self.fire) = (loop, fire)
    }

    /// Sets the deadline in place of the former one; `nil` for none.
    func set(after time: TimeAmount?) {
        guard let time else { return deadline = .distantFuture }
        deadline = loop.now + time
        if let scheduled, scheduled.at <= deadline { return }
        schedule()
    }

    /// Ends the timer for good.
    func cancel() {
        deadline = .distantFuture
        scheduled?.task.cancel()
        scheduled = nil
        // It may hold the owner of this timer.
        fire = {}
    }

    private func schedule() {
        scheduled?.task.cancel()
        let at = deadline
        let task = loop.assumeIsolated().scheduleTask(deadline: at) { [self] in
            scheduled = nil
            guard deadline < .distantFuture else { return }
            if loop.now >= deadline {
                deadline = .distantFuture
                fire()
            } else {
                schedule()
            }
        }
        scheduled = (at, task)
    }
}
