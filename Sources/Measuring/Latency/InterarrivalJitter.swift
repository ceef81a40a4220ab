import Media

/// The interarrival jitter of packets (RFC 3550, section 6.4.1 and A.8).
struct InterarrivalJitter: Sendable {
    private let rate: ClockRate
    private var last: (timestamp: UInt32, arrival: MonotonicTime)?
    /// J of the RFC, in nanoseconds to avoid rounding to ticks.
    private(set) var nanoseconds = 0.0

    init(rate: ClockRate) {
        self.rate = rate
    }

    /// Processes the next packet in the order of arrival, and returns D of the RFC in nanoseconds: the spacing of arrivals less
    /// the spacing of timestamps; `nil` for the first packet.
    @discardableResult
    mutating func received(timestamp: UInt32, arrival: MonotonicTime) -> Int64? {
        defer { last = (timestamp, arrival) }
        guard let last else { return nil }
        // Timestamps wrap, so the difference is taken modulo 2³².
        let ticks = Int64(Int32(bitPattern: timestamp &- last.timestamp))
        let difference = (arrival - last.arrival) &- rate.nanoseconds(inTicks: ticks)
        nanoseconds += (Double(difference.magnitude) - nanoseconds) / 16
        return difference
    }
}
