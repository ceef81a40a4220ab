import Glibc
import Logging
import Media
import Muxing
import Reactor
import Streams
import Synchronization

/// Publishes a substitute into a stream while its source is absent and the stream has viewers. Owns a thread, which mostly
/// sleeps.
///
/// It serves sources of every kind, because it looks only at what the stream gets.
public final class AbsencePublisher: Sendable {
    private let stream: Stream
    private let plan: AbsencePlan
    private let log: Logger
    private let stopSignal = StopSignal()
    /// Ends reading a file when the publisher stops.
    private let interruption = Interruption()
    private let thread = Mutex<pthread_t?>(nil)

    public init(for stream: Stream, _ plan: AbsencePlan, log: Logger) {
        (self.stream, self.plan, self.log) = (stream, plan, log)
    }

    /// Starts the thread. Call this once.
    public func start() throws(SystemError) {
        let doorbell = try Doorbell()
        stream.enableSubstitute(
            patience: Int64(plan.afterSeconds) * 1_000_000_000, keepsTracks: !plan.tracks.isEmpty)
        let started = try startThread {
            let loop = AbsenceLoop(
                self.stream, self.plan, doorbell: doorbell, stop: self.stopSignal, interruption: self.interruption,
                log: self.log)
            while !self.stopSignal.isSet { doorbell.wait(milliseconds: loop.turn()) }
            self.stream.disableSubstitute()
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread and waits for it, at most 100 ms.
    public func stop() {
        stopSignal.raise()
        interruption.interrupt()
        guard let thread = thread.withLock({ $0.take() }) else { return }
        pthread_join(thread, nil)
    }
}
