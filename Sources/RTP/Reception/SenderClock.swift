import Media

/// The wall clock of a sender against the host's clock, from the sender reports of all its tracks.
///
/// Only differences count: a camera's clock may be hours wrong or count from its start. The report that came soonest shows the
/// offset best, because queues only delay.
struct SenderClock: Sendable {
    private var offsets = WindowedMinimum()

    /// The host's time when the sender's clock shows 0, at the latest; `nil` without reports, or if the sender's clock does not
    /// advance as time does.
    var offset: Int64? { offsets.isSteady ? offsets.value : nil }

    mutating func received(_ ntp: NTPTime, arrival: MonotonicTime) {
        offsets.insert(arrival.nanoseconds &- ntp.unixNanoseconds, at: arrival)
    }
}
