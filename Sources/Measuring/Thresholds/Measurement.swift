/// What `measure` or one of the benches has found: to be printed, written into files and judged.
public protocol Measurement {
    associatedtype Report: Encodable

    var report: Report { get }
    /// The report for people.
    var table: String { get }
    /// A row per frame, viewer, join or round, with a line of column names before them.
    var csv: String { get }
    /// Durations over time and their distribution; `nil` for a command that has none.
    var svg: String? { get }
    /// What is missing, one sentence each.
    var deficiencies: [String] { get }
    /// Whether nothing was measured that a threshold could be about.
    var isEmpty: Bool { get }

    /// In the quantity's own measure (`Threshold`); `nil` where it was not measured.
    func value(for threshold: Threshold) -> Double?
    /// Why `value(for:)` is `nil`, as the end of a sentence.
    func reasonForMissingValue(for threshold: Threshold) -> String
}

extension Measurement {
    public func reasonForMissingValue(for threshold: Threshold) -> String { "it was not measured" }

    public func verdict(on threshold: Threshold) -> Threshold.Verdict {
        guard let value = value(for: threshold) else {
            return .undecided("\(threshold.text) cannot be judged: \(reasonForMissingValue(for: threshold))")
        }
        guard threshold.comparison.holds(value, threshold.limit) else { return .passed }
        return .failed("\(threshold.text): it is \(threshold.quantity.measure.text(of: value))")
    }

    /// The thresholds decide first. Without any measured value, there is nothing to judge.
    public func verdict(on thresholds: [Threshold]) -> Verdict {
        guard !isEmpty else { return Verdict(.error, reasons: deficiencies) }
        let complaints = thresholds.compactMap { verdict(on: $0).failureReason }
        if !complaints.isEmpty { return Verdict(.failed, reasons: complaints + deficiencies) }
        return deficiencies.isEmpty ? Verdict(.passed) : Verdict(.incomplete, reasons: deficiencies)
    }
}

extension Threshold {
    /// What becomes of a threshold.
    public enum Verdict: Equatable, Sendable {
        /// What must not be is not.
        case passed
        /// It is: what was measured, for people.
        case failed(String)
        /// Nothing was measured that could be compared; no proof, so scripts take it for a failure.
        case undecided(String)

        /// What to tell, where it did not pass.
        public var failureReason: String? {
            switch self {
            case .passed: nil
            case .failed(let reason), .undecided(let reason): reason
            }
        }
    }
}

extension Threshold.Comparison {
    fileprivate func holds(_ value: Double, _ limit: Double) -> Bool {
        switch self {
        case .atLeast: value >= limit
        case .atMost: value <= limit
        case .above: value > limit
        case .below: value < limit
        }
    }
}
