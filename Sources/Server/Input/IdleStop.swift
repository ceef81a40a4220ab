import Dispatch
import Streams
import Synchronization

/// Stops the source of an on-demand stream some time after its last use. Thread-safe.
final class IdleStop: Sendable {
    private let demand: StreamDemand
    private let milliseconds: Int64
    private let bell: DispatchSemaphore
    private let stop: @Sendable () -> Void
    private let hasStopped = Atomic(false)

    /// - Parameters:
    ///   - milliseconds: the time without a use after which the source stops.
    ///   - bell: signalled when the stream is needed again, and when the source is to stop.
    ///   - stop: stops the source.
    init(of stream: Stream, milliseconds: Int64, bell: DispatchSemaphore, stop: @escaping @Sendable () -> Void) {
        (demand, self.milliseconds, self.bell, self.stop) = (stream.demand, milliseconds, bell, stop)
        demand.observe { [weak self] in self?.demandChanged() }
    }

    /// Whether the source was stopped since ``began()``.
    var hasStoppedSource: Bool { hasStopped.load(ordering: .sequentiallyConsistent) }

    /// A run begins.
    func began() { hasStopped.store(false, ordering: .sequentiallyConsistent) }

    private func demandChanged() {
        guard !demand.isNeeded else {
            bell.signal()
            return
        }
        let generation = demand.generation
        // The closure does not block, so a shared queue is enough.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds))) { [weak self] in
            self?.closingTimePassed(generation)
        }
    }

    /// Stops the source, unless the stream was needed in the meantime.
    private func closingTimePassed(_ generation: UInt64) {
        guard demand.generation == generation, !demand.isNeeded else { return }
        hasStopped.store(true, ordering: .sequentiallyConsistent)
        stop()
        bell.signal()
    }
}
