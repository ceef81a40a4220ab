import Media

/// How the clock that capture times were read from stands to this host's: what every latency rests on.
public enum ClockRelation: Hashable, Sendable {
    /// The same CLOCK_MONOTONIC: stamps in the stream tell both of the sender's clocks, and their difference, the instant at
    /// which its machine booted, is this machine's.
    case sameMachine
    /// The server's address is one of this host's, so its wall clock is taken for this one. A forwarded port would not show.
    case sameHost
    /// The caller says that both wall clocks agree (`--clocks same`).
    case trusted
    /// Estimated: the server's wall clock is `offset` nanoseconds ahead of ours, wrong by `error` at most.
    case estimated(offset: Int64, error: Int64)
    /// Not known, for this reason: nothing can be said of capture times.
    case unknown(String)

    /// How the clocks are to be related, where the caller has a say.
    public enum Assumption: String, CaseIterable, Sendable {
        /// By what the stream and the server's address tell.
        case auto
        /// The wall clocks agree.
        case same
        /// By sender reports and round trips, whatever the address tells.
        case estimate
    }
}

extension ClockRelation {
    /// What there is to judge by.
    struct Evidence: Sendable {
        var assumption = Assumption.auto
        /// Whether the server's address is one of this host's.
        var isOwnAddress = false
        /// This host's wall clock (since 1970) less its monotonic clock.
        var wallClockOffset: Int64 = 0
        var stamps: [(stamp: CaptureTimestamp, arrival: MonotonicTime)] = []
        var reports: [ReceivedReport] = []
        /// The shortest from request to answer.
        var roundTrip: Int64?

        init() {}
    }

    /// Two clocks of one machine, read one after the other, and a server that follows steps of its wall clock only from 50 ms on
    /// (`WallClockMapping`): so far the boot instants may lie apart at one address.
    private static let ownBootTolerance: Int64 = 60_000_000
    /// From another address, as containers have one, they must agree better: racks of machines boot at the same moment.
    private static let foreignBootTolerance: Int64 = 2_000_000
    /// A picture that is older than this was not captured in this run.
    static let oldest: Int64 = 60_000_000_000
    /// By so much may what is read in one order on two processors seem to be in the other.
    static let readingTolerance: Int64 = 1_000_000
    /// A report of this host's clock cannot have been sent longer ago than this, nor later than it came.
    private static let longestDelivery: Int64 = 5_000_000_000

    init(_ evidence: Evidence) {
        switch evidence.assumption {
        case .same: self = .trusted
        case .estimate: self = Self.estimate(evidence)
        case .auto:
            if Self.isSameMachine(evidence) {
                self = .sameMachine
            } else if evidence.isOwnAddress, Self.reportsAgree(evidence) {
                self = .sameHost
            } else {
                self = Self.estimate(evidence)
            }
        }
    }

    /// Whether the median stamp tells our boot instant, and an age that a picture can have by the monotonic clock.
    private static func isSameMachine(_ evidence: Evidence) -> Bool {
        let tolerance = evidence.isOwnAddress ? ownBootTolerance : foreignBootTolerance
        let differences = Distribution(
            evidence.stamps.map {
                $0.stamp.wallClock.unixNanoseconds &- $0.stamp.monotonic.nanoseconds &- evidence.wallClockOffset
            })
        let ages = Distribution(evidence.stamps.map { $0.arrival - $0.stamp.monotonic })
        guard let difference = differences.median, let age = ages.median else { return false }
        return difference.magnitude <= tolerance.magnitude && (-readingTolerance...oldest).contains(age)
    }

    /// Whether the sender reports can be of this host's wall clock: sent before they came, and not long before.
    private static func reportsAgree(_ evidence: Evidence) -> Bool {
        let delays = Distribution(evidence.reports.map { -ahead($0, evidence) })
        return delays.median.map { (-readingTolerance...longestDelivery).contains($0) } ?? true
    }

    /// By how much a report is ahead of our wall clock when it comes: the clocks' difference less the way here.
    private static func ahead(_ report: ReceivedReport, _ evidence: Evidence) -> Int64 {
        report.time.unixNanoseconds &- report.arrival.nanoseconds &- evidence.wallClockOffset
    }

    /// A report took no less than nothing and, at its quickest, no longer than the quickest round trip.
    private static func estimate(_ evidence: Evidence) -> ClockRelation {
        guard let least = evidence.reports.map({ ahead($0, evidence) }).max() else {
            return .unknown("the server sent no sender report")
        }
        guard let roundTrip = evidence.roundTrip else { return .unknown("no round trip was measured") }
        return .estimated(offset: least &+ roundTrip / 2, error: roundTrip / 2)
    }
}

extension ClockRelation {
    /// A wall-clock instant of the server's, on our monotonic clock; `nil` where the clocks' relation is not known.
    func instant(unixNanoseconds: Int64, wallClockOffset: Int64) -> MonotonicTime? {
        switch self {
        case .sameMachine, .sameHost, .trusted: MonotonicTime(nanoseconds: unixNanoseconds &- wallClockOffset)
        case .estimated(let offset, _): MonotonicTime(nanoseconds: unixNanoseconds &- offset &- wallClockOffset)
        case .unknown: nil
        }
    }

    /// When a stamp says that its picture was captured, on our monotonic clock.
    func instant(of stamp: CaptureTimestamp, wallClockOffset: Int64) -> MonotonicTime? {
        if self == .sameMachine { return stamp.monotonic }
        return instant(unixNanoseconds: stamp.wallClock.unixNanoseconds, wallClockOffset: wallClockOffset)
    }

    /// Nanoseconds by which latencies may be wrong; `nil` where nobody can say.
    var error: Int64? {
        switch self {
        case .sameMachine, .sameHost: 0
        case .estimated(_, let error): error
        case .trusted, .unknown: nil
        }
    }

    /// For machines: one word.
    var name: String {
        switch self {
        case .sameMachine: "same machine"
        case .sameHost: "same host"
        case .trusted: "trusted"
        case .estimated: "estimated"
        case .unknown: "unknown"
        }
    }

    /// For people: how it is known, and how well.
    var sentence: String {
        switch self {
        case .sameMachine: "one monotonic clock: the stream's stamps tell this machine's boot instant"
        case .sameHost: "one wall clock: the server's address is this host's (a forwarded port would not show)"
        case .trusted: "taken to agree, as --clocks same says"
        case .estimated(let offset, let error):
            "the server's is \(ReportTable.number(offset.milliseconds, digits: 2)) ms ahead, "
                + "± \(ReportTable.number(error.milliseconds, digits: 2)) ms (sender reports and round trips)"
        case .unknown(let reason): "not related: \(reason)"
        }
    }
}
