import Media

/// Whether the time of day in a sender's reports is believed.
public enum SenderClockTrust: String, CaseIterable, Hashable, Sendable {
    /// Never: capture times count from the arrival.
    case arrival
    /// If it is possible: not in the future, and at most five seconds ago.
    case source
    /// If it is plausible: not in the future, and at most a second ago, so that the sender probably has the time from NTP too.
    case auto

    /// The least apparent delays, in nanoseconds, with which the sender's clock is believed. A synchronised clock may be ahead by
    /// some milliseconds.
    fileprivate var believedDelays: ClosedRange<Int64>? {
        switch self {
        case .arrival: nil
        case .source: -5_000_000...5_000_000_000
        case .auto: -5_000_000...1_000_000_000
        }
    }
}

/// The wall clock of a sender against the host's clock, from the sender reports of all its tracks.
///
/// Unless the sender's time of day is believed, only differences count: a camera's clock may be hours wrong or count from its
/// start. The report that came soonest shows the offset best, because queues only delay.
struct SenderClock: Sendable {
    /// A unit that seems to arrive before its capture by more than this is stamped wrongly.
    private static let largestLead: Int64 = 250_000_000

    let trust: SenderClockTrust
    /// Of the reports: the arrival minus the time in it.
    private var offsets = WindowedMinimum()
    /// Of the units: the arrival minus the capture time by the newest report.
    private var unitOffsets = WindowedMinimum()
    /// The host's monotonic time when its wall clock showed 0, in nanoseconds.
    private var hostOffset: Int64?
    /// Whether the sender's time of day is believed now.
    private(set) var isBelieved = false

    init(trust: SenderClockTrust = .auto) {
        self.trust = trust
    }

    /// The host's monotonic time when the sender's clock shows 0; `nil` without reports, or if the sender's clock does not advance
    /// as time does. If the sender is not believed, this is the latest possible time.
    ///
    /// ffmpeg sends a file's frames with B-frames before the times that its reports give them. Then the whole clock is earlier, not
    /// only these frames: so no frame is captured after its arrival, and all tracks remain in sync.
    var offset: Int64? {
        guard offsets.isSteady, let offset = isBelieved ? hostOffset : offsets.value else { return nil }
        return min(offset, unitOffsets.value ?? offset)
    }

    /// By how many nanoseconds the sender's clock seems to be ahead of the host's. The least delay of a report makes it seem less.
    var ahead: Int64? {
        guard let least = offsets.value, let hostOffset else { return nil }
        return hostOffset &- least
    }

    /// A unit has arrived, which was captured when the sender's clock showed `wall`, by the sender's reports.
    mutating func receivedUnit(capturedAt wall: Int64, arrival: MonotonicTime) {
        let delay = arrival.nanoseconds &- wall
        guard let offset, delay > offset &- Self.largestLead else { return }
        unitOffsets.insert(delay, at: arrival)
    }

    /// - Parameter hostOffset: the host's monotonic time when its wall clock showed 0, in nanoseconds.
    mutating func received(_ ntp: NTPTime, arrival: MonotonicTime, hostOffset: Int64) {
        offsets.insert(arrival.nanoseconds &- ntp.unixNanoseconds, at: arrival)
        self.hostOffset = hostOffset
        guard let delays = trust.believedDelays, let ahead else { return isBelieved = false }
        // A sender that is believed stays so up to half more, so that capture times do not step to and fro at the limit.
        isBelieved = delays.contains(isBelieved ? -ahead * 2 / 3 : -ahead)
    }
}
