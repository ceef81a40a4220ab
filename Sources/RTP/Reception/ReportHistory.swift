import Media

/// The sender reports of one track, and whether its RTP clock and its wall clock agree.
struct ReportHistory {
    /// The nanoseconds after which two reports show whether the clocks agree.
    private static let trial: Int64 = 10_000_000_000
    /// How far the clocks may differ: one part in this many.
    private static let tolerance: Int64 = 20

    private struct Entry {
        /// The RTP timestamp as media time.
        let media: Int64
        let ntp: Int64
        let arrival: MonotonicTime
    }

    /// The report that the next ones are compared with.
    private var reference: Entry?
    private var newest: Entry?
    /// Whether the reports have been consistent for at least ten seconds.
    private(set) var isTrusted = false

    mutating func received(media: Int64, ntp: NTPTime, arrival: MonotonicTime) {
        let entry = Entry(media: media, ntp: ntp.unixNanoseconds, arrival: arrival)
        newest = entry
        guard let reference else {
            reference = entry
            return
        }
        let elapsed = arrival - reference.arrival
        guard elapsed >= Self.trial else { return }
        let (media, wall) = (entry.media &- reference.media, entry.ntp &- reference.ntp)
        let allowed = elapsed / Self.tolerance
        isTrusted =
            (media &- wall).magnitude <= allowed.magnitude && (wall &- elapsed).magnitude <= allowed.magnitude
        self.reference = entry
    }

    /// The capture time of media time 0 by the newest report; `nil` if the reports are not trusted.
    func offset(on clock: SenderClock) -> Int64? {
        guard isTrusted, let newest, let offset = clock.offset else { return nil }
        return newest.ntp &+ offset &- newest.media
    }
}
