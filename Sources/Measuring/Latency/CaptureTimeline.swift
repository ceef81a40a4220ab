import Media

/// The capture time of each frame by this host's monotonic clock, and its basis.
struct CaptureTimeline: Sendable {
    /// What a capture time is based on.
    enum Basis: String, Hashable, Sendable {
        /// The frame's own SEI.
        case sei
        /// The SEI of an earlier frame, and the RTP time since then.
        case earlierSEI = "sei+rtp"
        /// A sender report, and the RTP time since then.
        case senderReport = "sr"
    }

    /// Why a capture time is rejected.
    enum RejectionReason: String, Hashable, Sendable, CaseIterable {
        case negative = "a negative time"
        case future = "in the future"
        case past = "more than a minute old"
        case jump = "inconsistent with RTP time"
    }

    struct Capture: Hashable, Sendable {
        let instant: MonotonicTime
        let basis: Basis
    }

    /// The data from which capture times are computed.
    struct Inputs: Sendable {
        var rate: ClockRate
        /// The sender reports of the track.
        var reports: [ReceivedReport]
        var relation: ClockRelation
        var wallClockOffset: Int64
        /// The first live frame. Earlier frames may belong to a fast start. Its RTP timestamps do not denote capture times.
        var firstLive: Int
    }

    /// The capture time of each frame; `nil` if unknown.
    private(set) var captures: [Capture?] = []
    /// The numbers of rejected capture times of live frames, by SEI and by sender reports.
    private(set) var rejectedSEI: [RejectionReason: Int] = [:]
    private(set) var rejectedReports: [RejectionReason: Int] = [:]
    /// The SEI's capture time less the sender report's, for frames with both.
    private(set) var seiAfterReports = Distribution([])

    /// Maximum deviation of an SEI's capture time from RTP time, in nanoseconds: clocks of cameras drift, wrong times jump.
    private static let jump: Int64 = 100_000_000

    private let inputs: Inputs
    private var nextReport = 0
    private var lastSEI: Anchor?
    private var lastAcceptedSEI: Anchor?
    private var differences: [Int64] = []

    /// A capture time and the RTP timestamp that denotes it.
    private struct Anchor {
        let instant: MonotonicTime
        let timestamp: UInt32
    }

    init(_ frames: [ReceivedFrame], _ inputs: Inputs) {
        self.inputs = inputs
        for (number, frame) in frames.enumerated() {
            captures.append(capture(of: frame, isLive: number >= inputs.firstLive))
        }
        seiAfterReports = Distribution(differences)
    }

    /// The capture time with the best basis available.
    private mutating func capture(of frame: ReceivedFrame, isLive: Bool) -> Capture? {
        let reported = isLive ? reportedInstant(of: frame) : nil
        if let instant = seiInstant(of: frame, isLive: isLive) {
            if let reported { differences.append(instant - reported) }
            return Capture(instant: instant, basis: .sei)
        }
        guard isLive else { return nil }
        if let instant = lastAcceptedSEI.map({ self.instant(of: frame, from: $0) }),
            rejectionReason(instant, of: frame) == nil
        {
            return Capture(instant: instant, basis: .earlierSEI)
        }
        guard let reported else { return nil }
        if let rejectionReason = rejectionReason(reported, of: frame) {
            rejectedReports[rejectionReason, default: 0] += 1
            return nil
        }
        return Capture(instant: reported, basis: .senderReport)
    }

    /// The capture time in the frame's own SEI; `nil` if it is missing or rejected.
    private mutating func seiInstant(of frame: ReceivedFrame, isLive: Bool) -> MonotonicTime? {
        guard let timestamp = frame.captureTimestamp,
            let instant = inputs.relation.instant(of: timestamp, wallClockOffset: inputs.wallClockOffset)
        else { return nil }
        let rejectionReason = timestamp.monotonic.nanoseconds < 0 ? .negative : rejectionReason(instant, of: frame)
        guard isLive else { return rejectionReason == nil ? instant : nil }
        let jumps = rejectionReason == nil && hasJumped(instant, frame)
        if rejectionReason == nil { lastSEI = Anchor(instant: instant, timestamp: frame.timestamp) }
        if let rejectionReason = rejectionReason ?? (jumps ? .jump : nil) {
            rejectedSEI[rejectionReason, default: 0] += 1
            // If two SEIs contradict each other, either may be wrong.
            if jumps { lastAcceptedSEI = nil }
            return nil
        }
        lastAcceptedSEI = lastSEI
        return instant
    }

    /// Whether the SEI's capture time contradicts the previous SEI and the RTP time since then.
    private func hasJumped(_ instant: MonotonicTime, _ frame: ReceivedFrame) -> Bool {
        guard let lastSEI else { return false }
        return (instant - self.instant(of: frame, from: lastSEI)).magnitude > Self.jump.magnitude
    }

    private mutating func reportedInstant(of frame: ReceivedFrame) -> MonotonicTime? {
        let reports = inputs.reports
        // The newest report that had arrived by then, or the first report.
        while nextReport + 1 < reports.count, reports[nextReport + 1].arrival <= frame.lastPacket { nextReport += 1 }
        guard nextReport < reports.count else { return nil }
        let report = reports[nextReport]
        let instant = inputs.relation.instant(
            unixNanoseconds: report.time.unixNanoseconds, wallClockOffset: inputs.wallClockOffset)
        return instant.map { self.instant(of: frame, from: Anchor(instant: $0, timestamp: report.timestamp)) }
    }

    private func instant(of frame: ReceivedFrame, from anchor: Anchor) -> MonotonicTime {
        // Timestamps wrap, so the difference is taken modulo 2³².
        let ticks = Int64(Int32(bitPattern: frame.timestamp &- anchor.timestamp))
        return anchor.instant + inputs.rate.nanoseconds(inTicks: ticks)
    }

    /// Why a capture time is implausible; `nil` if it is plausible.
    private func rejectionReason(_ captured: MonotonicTime, of frame: ReceivedFrame) -> RejectionReason? {
        let age = frame.lastPacket - captured
        if age < -ClockRelation.readingTolerance - (inputs.relation.error ?? 0) { return .future }
        return age > ClockRelation.oldest ? .past : nil
    }
}
