/// The result of `measure` or of a bench, which is printed, written to files and compared with thresholds.
public protocol Measurement {
    associatedtype Report: Encodable

    var report: Report { get }
    /// The report as text.
    var table: String { get }
    /// A line of column names, and a row per frame, viewer, join or round.
    var csv: String { get }
    /// A plot of durations over time and their distribution; `nil` if the command measures no durations.
    var svg: String? { get }
    /// The shortcomings of the measurement, one sentence each.
    var deficiencies: [String] { get }
    /// Whether nothing was measured.
    var isEmpty: Bool { get }

    /// The measured value in the unit of the quantity (`Threshold`); `nil` if the quantity was not measured.
    func value(for threshold: Threshold) -> Double?
    /// Why `value(for:)` is `nil`, as the end of a sentence.
    func reasonForMissingValue(for threshold: Threshold) -> String
}

extension Measurement {
    public func reasonForMissingValue(for threshold: Threshold) -> String { "it was not measured" }

    public func evaluate(_ threshold: Threshold) -> Threshold.Evaluation {
        guard let value = value(for: threshold) else {
            return .undecided("\(threshold.text) cannot be evaluated: \(reasonForMissingValue(for: threshold))")
        }
        guard threshold.comparison.holds(value, threshold.limit) else { return .passed }
        return .failed("\(threshold.text): the value is \(threshold.quantity.dimension.text(of: value))")
    }

    /// The verdict on the run. Failed thresholds take precedence over shortcomings; without any measured value, the run is an
    /// error.
    public func verdict(on thresholds: [Threshold]) -> Verdict {
        guard !isEmpty else { return Verdict(.error, reasons: deficiencies) }
        let failures = thresholds.compactMap { evaluate($0).failureReason }
        if !failures.isEmpty { return Verdict(.failed, reasons: failures + deficiencies) }
        return deficiencies.isEmpty ? Verdict(.passed) : Verdict(.incomplete, reasons: deficiencies)
    }
}

extension Threshold {
    /// The result of comparing a threshold with a measurement.
    public enum Evaluation: Equatable, Sendable {
        /// The condition does not hold.
        case passed
        /// The condition holds; the text names the measured value.
        case failed(String)
        /// The quantity was not measured. This counts as a failure.
        case undecided(String)

        /// The message for the user; `nil` if the threshold passed.
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
