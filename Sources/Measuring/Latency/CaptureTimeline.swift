import Media

/// When each frame was captured, by our monotonic clock, and who says so.
struct CaptureTimeline: Sendable {
    /// Who says when a frame was captured.
    enum Basis: String, Hashable, Sendable {
        /// Its own SEI.
        case stamp = "sei"
        /// The SEI of an earlier frame, and the RTP time that has passed since.
        case earlierSEI = "sei+rtp"
        /// A sender report, and the RTP time from there.
        case report = "sr"
    }

    /// Why a time is not believed.
    enum RejectionReason: String, Hashable, Sendable, CaseIterable {
        case negative = "a negative time"
        case future = "in the future"
        case past = "more than a minute old"
        case jump = "does not go with RTP time"
    }

    struct Capture: Hashable, Sendable {
        let instant: MonotonicTime
        let basis: Basis
    }

    /// What the times are made from.
    struct Sources: Sendable {
        var rate: ClockRate
        /// The track's.
        var reports: [ReceivedReport]
        var relation: ClockRelation
        var wallClockOffset: Int64
        /// The first frame that is live: those before may belong to a prelude, whose RTP times denote no capture.
        var firstLive: Int
    }

    /// By frame; `nil` where nobody can be believed.
    private(set) var captures: [Capture?] = []
    /// Stamps of live frames that were not believed, and times that reports gave in vain.
    private(set) var rejectedSEI: [RejectionReason: Int] = [:]
    private(set) var rejectedReports: [RejectionReason: Int] = [:]
    /// How much later than sender reports stamps are, where a frame has both.
    private(set) var seiAfterReports = Distribution([])

    /// A stamp may lie so far from where RTP time puts it, in nanoseconds: cameras' clocks drift, lies leap.
    private static let jump: Int64 = 100_000_000

    private let sources: Sources
    private var nextReport = 0
    private var lastSEI: Anchor?
    private var lastAcceptedSEI: Anchor?
    private var differences: [Int64] = []

    /// An instant of capture and the RTP time that denotes it.
    private struct Anchor {
        let instant: MonotonicTime
        let timestamp: UInt32
    }

    init(_ frames: [ReceivedFrame], _ sources: Sources) {
        self.sources = sources
        for (number, frame) in frames.enumerated() {
            captures.append(capture(of: frame, isLive: number >= sources.firstLive))
        }
        seiAfterReports = Distribution(differences)
    }

    /// The best authority that can be believed.
    private mutating func capture(of frame: ReceivedFrame, isLive: Bool) -> Capture? {
        let reported = isLive ? reportedInstant(of: frame) : nil
        if let instant = seiInstant(of: frame, isLive: isLive) {
            if let reported { differences.append(instant - reported) }
            return Capture(instant: instant, basis: .stamp)
        }
        guard isLive else { return nil }
        if let instant = lastAcceptedSEI.map({ self.instant(of: frame, from: $0) }), doubt(instant, of: frame) == nil {
            return Capture(instant: instant, basis: .earlierSEI)
        }
        guard let reported else { return nil }
        if let doubt = doubt(reported, of: frame) {
            rejectedReports[doubt, default: 0] += 1
            return nil
        }
        return Capture(instant: reported, basis: .report)
    }

    /// What the frame's own SEI says, unless it lies.
    private mutating func seiInstant(of frame: ReceivedFrame, isLive: Bool) -> MonotonicTime? {
        guard let stamp = frame.stamp,
            let instant = sources.relation.instant(of: stamp, wallClockOffset: sources.wallClockOffset)
        else { return nil }
        let doubt = stamp.monotonic.nanoseconds < 0 ? .negative : doubt(instant, of: frame)
        guard isLive else { return doubt == nil ? instant : nil }
        let leaps = doubt == nil && hasJumped(instant, frame)
        if doubt == nil { lastSEI = Anchor(instant: instant, timestamp: frame.timestamp) }
        if let doubt = doubt ?? (leaps ? .jump : nil) {
            rejectedSEI[doubt, default: 0] += 1
            // Of two that contradict each other, either may be the lie.
            if leaps { lastAcceptedSEI = nil }
            return nil
        }
        lastAcceptedSEI = lastSEI
        return instant
    }

    /// Whether it lies elsewhere than the stamp before it and the RTP time since then say.
    private func hasJumped(_ instant: MonotonicTime, _ frame: ReceivedFrame) -> Bool {
        guard let lastSEI else { return false }
        return (instant - self.instant(of: frame, from: lastSEI)).magnitude > Self.jump.magnitude
    }

    private mutating func reportedInstant(of frame: ReceivedFrame) -> MonotonicTime? {
        let reports = sources.reports
        // The newest that had come by then; for what came before the first, that one.
        while nextReport + 1 < reports.count, reports[nextReport + 1].arrival <= frame.lastPacket { nextReport += 1 }
        guard nextReport < reports.count else { return nil }
        let report = reports[nextReport]
        let instant = sources.relation.instant(
            unixNanoseconds: report.time.unixNanoseconds, wallClockOffset: sources.wallClockOffset)
        return instant.map { self.instant(of: frame, from: Anchor(instant: $0, timestamp: report.timestamp)) }
    }

    private func instant(of frame: ReceivedFrame, from anchor: Anchor) -> MonotonicTime {
        // Timestamps wrap, so the difference is taken modulo 2³².
        let ticks = Int64(Int32(bitPattern: frame.timestamp &- anchor.timestamp))
        return anchor.instant + sources.rate.nanoseconds(inTicks: ticks)
    }

    /// Why a frame cannot have been captured then; `nil` where it can.
    private func doubt(_ captured: MonotonicTime, of frame: ReceivedFrame) -> RejectionReason? {
        let age = frame.lastPacket - captured
        if age < -ClockRelation.readingTolerance - (sources.relation.error ?? 0) { return .future }
        return age > ClockRelation.oldest ? .past : nil
    }
}
