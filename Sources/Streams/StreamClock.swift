import Media
import Synchronization

/// The clock that a server's streams share: media times count from its epoch, and it knows what the wall clock shows then.
///
/// Whoever tells a wall-clock time asks this one, sender reports and the timestamps in pictures and packets alike, so they
/// agree. All methods may be called from any thread.
public final class StreamClock: Sendable {
    private struct State {
        var mapping: WallClockMapping
        var stepCount = 0
    }

    /// The instant from which all media times count.
    public let epoch: MonotonicTime
    private let read: @Sendable () -> ClockReading
    private let state: Mutex<State>

    /// A clock that begins now.
    ///
    /// - Parameter read: reads both clocks of the host, of which nothing here knows.
    public convenience init(_ read: @escaping @Sendable () -> ClockReading) {
        self.init(epoch: read().monotonic, read)
    }

    public init(epoch: MonotonicTime, _ read: @escaping @Sendable () -> ClockReading) {
        self.epoch = epoch
        self.read = read
        state = Mutex(State(mapping: WallClockMapping(read())))
    }

    /// Looks whether the wall clock has stepped, and follows it.
    ///
    /// - Returns: how often it has since the clock was made: whoever has told times before tells them anew when that rises.
    @discardableResult
    public func follow() -> Int {
        let reading = read()
        return state.withLock { state in
            if state.mapping.sampled(reading) { state.stepCount += 1 }
            return state.stepCount
        }
    }

    /// What the monotonic clock shows.
    public var now: MonotonicTime { read().monotonic }

    /// What the wall clock shows at an instant.
    public func ntpTime(of instant: MonotonicTime) -> NTPTime {
        state.withLock { $0.mapping }.ntpTime(of: instant)
    }

    /// The instant of a media time.
    public func instant(of time: MediaTime) -> MonotonicTime {
        epoch + time.nanoseconds
    }
}
