import Media

/// The timeline of one track.
struct TrackTimeline {
    private let clockRate: ClockRate
    private let jumpThreshold: Int64
    private var ticks = UnwrappedTimestamp()
    /// The arrival minus the media time of each unit: its delay, plus a constant.
    private var transits = WindowedMinimum()
    private(set) var reports = ReportHistory()
    private(set) var jumpCount = 0
    private var anchor: Anchor?

    /// How media time maps to the host's clock at present.
    private struct Anchor {
        /// When the timeline began.
        let start: MonotonicTime
        /// The capture time of media time 0.
        var offset: Int64
        /// The arrival up to which the offset has followed its target.
        var corrected: MonotonicTime
        /// The latest media time so far.
        var newest: Int64
    }

    init(clockRate: ClockRate, jumpThreshold: Int64) {
        (self.clockRate, self.jumpThreshold) = (clockRate, jumpThreshold)
    }

    /// - Parameter clock: of the sender; learns when the unit arrived.
    mutating func capture(of rtpTimestamp: UInt32, arrival: MonotonicTime, clock: inout SenderClock) -> MonotonicTime {
        let media = clockRate.nanoseconds(inTicks: ticks.unwrap(rtpTimestamp))
        let transit = arrival.nanoseconds &- media
        var anchor = self.anchor ?? begin(at: arrival, media)
        if isJump(media, transit, of: anchor, at: arrival) {
            jumpCount += 1
            (transits, reports) = (WindowedMinimum(), ReportHistory())
            anchor = begin(at: arrival, media)
        }
        transits.insert(transit, at: arrival)
        guard transits.isSteady else {
            // The source's clock does not advance as time does, so it says nothing about capture.
            self.anchor = Anchor(start: anchor.start, offset: transit, corrected: arrival, newest: media)
            return arrival
        }
        anchor.newest = max(anchor.newest, media)
        if let wall = reports.wall(atMedia: media) { clock.receivedUnit(capturedAt: wall, arrival: arrival) }
        correct(&anchor, transit, at: arrival, clock)
        self.anchor = anchor
        return MonotonicTime(nanoseconds: min(media &+ anchor.offset, arrival.nanoseconds))
    }

    /// Forgets all timestamps and reports, but not how often they jumped.
    mutating func beginAnew() {
        let jumpCount = jumpCount
        self = Self(clockRate: clockRate, jumpThreshold: jumpThreshold)
        self.jumpCount = jumpCount
    }

    /// Forgets them because they have jumped.
    mutating func jumped() {
        beginAnew()
        jumpCount += 1
    }

    mutating func received(_ report: SenderReport, arrival: MonotonicTime) {
        // ffmpeg sends a report before the first unit.
        let media = anchor == nil ? ticks.unwrap(report.rtpTimestamp) : ticks.unwrapped(report.rtpTimestamp)
        reports.received(media: clockRate.nanoseconds(inTicks: media), ntp: report.ntpTime, arrival: arrival)
    }

    private func begin(at arrival: MonotonicTime, _ media: Int64) -> Anchor {
        Anchor(start: arrival, offset: arrival.nanoseconds &- media, corrected: arrival, newest: media)
    }

    /// Whether the timestamp does not continue the earlier ones. A unit that only arrives late is no jump.
    private func isJump(_ media: Int64, _ transit: Int64, of anchor: Anchor, at arrival: MonotonicTime) -> Bool {
        if anchor.newest &- media > jumpThreshold { return true }
        guard arrival - anchor.start > ReceptionTimeline.settlingTime, let least = transits.value else { return false }
        return least &- transit > jumpThreshold
    }

    private func correct(
        _ anchor: inout Anchor, _ transit: Int64, at arrival: MonotonicTime, _ clock: SenderClock
    ) {
        let isSettling = arrival - anchor.start <= ReceptionTimeline.settlingTime
        let reported = reportedOffset(clock)
        let target = reported ?? transits.value ?? transit
        let correction = target &- anchor.offset
        let allowed = max(0, arrival - anchor.corrected) / ReceptionTimeline.slewDivisor
        // Units of a transport stream may come a little out of the order of their arrivals.
        anchor.corrected = max(anchor.corrected, arrival)
        if isSettling && reported == nil {
            anchor.offset = min(anchor.offset, transit)
        } else if isSettling || correction.magnitude >= ReceptionTimeline.stepThreshold.magnitude {
            anchor.offset = target
        } else {
            anchor.offset &+= max(-allowed, min(allowed, correction))
        }
    }

    /// How capture times are determined at present.
    func origin(_ clock: SenderClock) -> CaptureTimeOrigin {
        guard transits.isSteady, reports.standing == .consistent, reportedOffset(clock) != nil else { return .arrival }
        return clock.isBelieved ? .senderClock : .senderReports
    }

    /// By how much faster the RTP clock advances than the host's, in parts per million; `nil` in the first half minute.
    var drift: Double? {
        // If the clock is fast, media times run ahead, and arrivals minus media times fall.
        transits.slope.map { -$0 * 1_000_000 }
    }

    /// The capture time of media time 0 by the reports; `nil` if they are inconsistent or imply implausible ages.
    private func reportedOffset(_ clock: SenderClock) -> Int64? {
        guard let wall = reports.wall(atMedia: 0), let clockOffset = clock.offset, let least = transits.value else {
            return nil
        }
        let offset = wall &+ clockOffset
        let plausible =
            reports.standing == .consistent ? ReceptionTimeline.plausibleAge : ReceptionTimeline.plausibleUntriedAge
        return plausible.contains(least &- offset) ? offset : nil
    }
}
