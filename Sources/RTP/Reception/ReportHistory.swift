import Media

/// The sender reports of one track, and whether its RTP clock and its wall clock agree.
struct ReportHistory {
    /// What is known of the reports.
    enum Standing: Sendable {
        /// They have come for less than ten seconds.
        case untried
        /// The clocks have advanced alike for at least ten seconds.
        case consistent
        /// The clocks did not advance alike.
        case inconsistent
    }

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
    private(set) var standing = Standing.untried

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
        let agrees =
            (media &- wall).magnitude <= allowed.magnitude && (wall &- elapsed).magnitude <= allowed.magnitude
        standing = agrees ? .consistent : .inconsistent
        self.reference = entry
    }

    /// What the sender's wall clock showed at this media time, by the newest report; `nil` without reports, or if they are
    /// inconsistent.
    func wall(atMedia media: Int64) -> Int64? {
        guard standing != .inconsistent, let newest else { return nil }
        return newest.ntp &+ (media &- newest.media)
    }
}
