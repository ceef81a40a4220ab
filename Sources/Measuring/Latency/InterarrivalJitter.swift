import Media

/// How unevenly packets come, compared with their timestamps (RFC 3550, section 6.4.1 and A.8).
struct InterarrivalJitter: Sendable {
    private let rate: ClockRate
    private var last: (timestamp: UInt32, arrival: MonotonicTime)?
    /// J of the RFC, here in nanoseconds, so that no clock rate rounds it.
    private(set) var nanoseconds = 0.0

    init(rate: ClockRate) {
        self.rate = rate
    }

    /// Takes the next packet, in the order of arrival; answers how much later than its predecessor's spacing allows it came (D of
    /// the RFC), in nanoseconds, negative where it came sooner; `nil` for the first.
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
