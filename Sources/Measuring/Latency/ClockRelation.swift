import Media

/// How the clock of the capture times relates to this host's clock. Every latency depends on it.
public enum ClockRelation: Hashable, Sendable {
    /// The same CLOCK_MONOTONIC. SEIs contain both clocks of the sender; the difference of the clocks is the boot time, which is
    /// this machine's.
    case sameMachine
    /// The server's address belongs to this host, so both are assumed to share a wall clock. A forwarded port is not detected.
    case sameHost
    /// The user states that both wall clocks agree (`--clocks same`).
    case trusted
    /// The server's wall clock is estimated to be `offset` nanoseconds ahead of this host's, with a maximum error of `error`.
    case estimated(offset: Int64, error: Int64)
    /// Unknown, for this reason, so capture times are unknown too.
    case unknown(String)

    /// How the user wants the clocks to be related.
    public enum Assumption: String, CaseIterable, Sendable {
        /// By the stream and the server's address.
        case auto
        /// The wall clocks agree.
        case same
        /// By sender reports and round trips, whatever the address.
        case estimate
    }
}

extension ClockRelation {
    /// The data from which the relation is determined.
    struct Evidence: Sendable {
        var assumption = Assumption.auto
        /// Whether the server's address belongs to this host.
        var isOwnAddress = false
        /// This host's wall clock (since 1970) less its monotonic clock.
        var wallClockOffset: Int64 = 0
        var captureTimestamps: [(timestamp: CaptureTimestamp, arrival: MonotonicTime)] = []
        var reports: [ReceivedReport] = []
        /// The shortest time from a request to its response.
        var roundTrip: Int64?

        init() {}
    }

    /// Maximum difference of the boot times if the server's address belongs to this host. The two clocks are read one after the
    /// other, and a server follows only steps of the wall clock over 50 ms (`WallClockMapping`).
    private static let ownBootTolerance: Int64 = 60_000_000
    /// Maximum difference if the address is another, as for a container. It is smaller, because machines in a rack boot together.
    private static let foreignBootTolerance: Int64 = 2_000_000
    /// A frame older than this was not captured in this run.
    static let oldest: Int64 = 60_000_000_000
    /// Maximum apparent reversal of two clock readings on different processors.
    static let readingTolerance: Int64 = 1_000_000
    /// Maximum delivery time of a sender report with this host's clock.
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

    /// Whether the median SEI states this machine's boot time, and a plausible age of the frame by the monotonic clock.
    private static func isSameMachine(_ evidence: Evidence) -> Bool {
        let tolerance = evidence.isOwnAddress ? ownBootTolerance : foreignBootTolerance
        let differences = Distribution(
            evidence.captureTimestamps.map {
                $0.timestamp.wallClock.unixNanoseconds &- $0.timestamp.monotonic.nanoseconds &- evidence.wallClockOffset
            })
        let ages = Distribution(evidence.captureTimestamps.map { $0.arrival - $0.timestamp.monotonic })
        guard let difference = differences.median, let age = ages.median else { return false }
        return difference.magnitude <= tolerance.magnitude && (-readingTolerance...oldest).contains(age)
    }

    /// Whether the sender reports can have this host's wall clock: sent before they arrived, and not long before.
    private static func reportsAgree(_ evidence: Evidence) -> Bool {
        let delays = Distribution(evidence.reports.map { -ahead($0, evidence) })
        return delays.median.map { (-readingTolerance...longestDelivery).contains($0) } ?? true
    }

    /// How far a report is ahead of this host's wall clock on arrival: the offset of the clocks less the delivery time.
    private static func ahead(_ report: ReceivedReport, _ evidence: Evidence) -> Int64 {
        report.time.unixNanoseconds &- report.arrival.nanoseconds &- evidence.wallClockOffset
    }

    /// Estimates the offset: the fastest report took between zero and the shortest round trip.
    private static func estimate(_ evidence: Evidence) -> ClockRelation {
        guard let least = evidence.reports.map({ ahead($0, evidence) }).max() else {
            return .unknown("no sender report arrived")
        }
        guard let roundTrip = evidence.roundTrip else { return .unknown("no round trip was measured") }
        return .estimated(offset: least &+ roundTrip / 2, error: roundTrip / 2)
    }
}

extension ClockRelation {
    /// Converts a time of the server's wall clock to this host's monotonic clock; `nil` if the relation is unknown.
    func instant(unixNanoseconds: Int64, wallClockOffset: Int64) -> MonotonicTime? {
        switch self {
        case .sameMachine, .sameHost, .trusted: MonotonicTime(nanoseconds: unixNanoseconds &- wallClockOffset)
        case .estimated(let offset, _): MonotonicTime(nanoseconds: unixNanoseconds &- offset &- wallClockOffset)
        case .unknown: nil
        }
    }

    /// Converts an SEI's capture time to this host's monotonic clock; `nil` if the relation is unknown.
    func instant(of timestamp: CaptureTimestamp, wallClockOffset: Int64) -> MonotonicTime? {
        if self == .sameMachine { return timestamp.monotonic }
        return instant(unixNanoseconds: timestamp.wallClock.unixNanoseconds, wallClockOffset: wallClockOffset)
    }

    /// Maximum error of latencies in nanoseconds; `nil` if unknown.
    var error: Int64? {
        switch self {
        case .sameMachine, .sameHost: 0
        case .estimated(_, let error): error
        case .trusted, .unknown: nil
        }
    }

    /// The name in the JSON report.
    var name: String {
        switch self {
        case .sameMachine: "same machine"
        case .sameHost: "same host"
        case .trusted: "trusted"
        case .estimated: "estimated"
        case .unknown: "unknown"
        }
    }

    /// The line of the text report: how the relation is known, and how accurately.
    var sentence: String {
        switch self {
        case .sameMachine: "the same monotonic clock: the stream's SEI states this machine's boot time"
        case .sameHost:
            "the same wall clock: the server's address belongs to this host (a forwarded port is not detected)"
        case .trusted: "assumed to agree, by --clocks same"
        case .estimated(let offset, let error):
            "the server's clock is \(ReportTable.number(offset.milliseconds, digits: 2)) ms ahead, "
                + "± \(ReportTable.number(error.milliseconds, digits: 2)) ms (sender reports and round trips)"
        case .unknown(let reason): "unknown offset: \(reason)"
        }
    }
}
