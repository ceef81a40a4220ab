import Media
import Synchronization

/// The clock that all streams of a server share. Media times count from its epoch, and it maps them to wall-clock time.
///
/// Sender reports and the timestamps in frames and packets all use this clock, so they agree. All methods are thread-safe.
public final class StreamClock: Sendable {
    private struct State {
        var mapping: WallClockMapping
        var stepCount = 0
    }

    /// The instant that all media times count from.
    public let epoch: MonotonicTime
    private let read: @Sendable () -> ClockReading
    private let state: Mutex<State>

    /// Creates a clock that starts now.
    ///
    /// - Parameter read: reads both clocks of the host, because this module makes no system calls.
    public convenience init(_ read: @escaping @Sendable () -> ClockReading) {
        self.init(epoch: read().monotonic, read)
    }

    public init(epoch: MonotonicTime, _ read: @escaping @Sendable () -> ClockReading) {
        self.epoch = epoch
        self.read = read
        state = Mutex(State(mapping: WallClockMapping(read())))
    }

    /// Follows the wall clock if it has stepped.
    ///
    /// - Returns: how many steps there have been. When the number rises, times that were sent before must be sent again.
    @discardableResult
    public func follow() -> Int {
        let reading = read()
        return state.withLock { state in
            if state.mapping.sampled(reading) { state.stepCount += 1 }
            return state.stepCount
        }
    }

    /// The monotonic time now.
    public var now: MonotonicTime { read().monotonic }

    /// The wall-clock time of an instant.
    public func ntpTime(of instant: MonotonicTime) -> NTPTime {
        state.withLock { $0.mapping }.ntpTime(of: instant)
    }

    /// The instant of a media time.
    public func instant(of time: MediaTime) -> MonotonicTime {
        epoch + time.nanoseconds
    }
}
