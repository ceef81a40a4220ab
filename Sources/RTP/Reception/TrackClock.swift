import Media

/// Places the units of one track on the stream's clock, so that decode times rise and nothing is presented before it is decoded.
struct TrackClock: Sendable {
    let clockRate: ClockRate
    /// The decode time of the last unit, in ticks since the epoch.
    private var lastDecode = Int64.min

    init(clockRate: ClockRate) {
        self.clockRate = clockRate
    }

    /// The times of the next unit in decoding order.
    ///
    /// - Parameters:
    ///   - times: on the sender's clock, in ticks of the track's clock.
    ///   - media: the sender's time that was captured at `captured`.
    ///   - captured: nanoseconds since the epoch, at most `arrival`.
    ///   - arrival: nanoseconds since the epoch.
    mutating func times(
        _ times: DecodeOrder.Times, of media: Int64, captured: Int64, arrival: Int64
    ) -> (presentation: MediaTime, decode: MediaTime) {
        let captured = clockRate.ticks(inNanoseconds: captured)
        // A unit that comes after its presentation time is presented later than that, but not later than it has come.
        let latest = clockRate.ticks(inNanoseconds: arrival)
        let decode = max(min(captured &+ times.decode &- media, latest), lastDecode &+ 1)
        lastDecode = decode
        let presentation = max(min(captured &+ times.presentation &- media, latest), decode)
        return (MediaTime(ticks: presentation, rate: clockRate), MediaTime(ticks: decode, rate: clockRate))
    }
}
