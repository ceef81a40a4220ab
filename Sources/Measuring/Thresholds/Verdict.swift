/// The outcome of a run, for the exit status and the JSON report.
public struct Verdict: Encodable, Equatable, Sendable {
    public enum Outcome: String, Encodable, Sendable {
        /// Everything was measured, and no threshold was exceeded.
        case passed
        /// A threshold was exceeded, or could not be evaluated.
        case failed
        /// The measurement is incomplete: the stream ended early, sessions failed, or frames were skipped.
        case incomplete
        /// Nothing was measured.
        case error
    }

    public let outcome: Outcome
    /// One sentence each; empty if the run passed.
    public let reasons: [String]

    public init(_ outcome: Outcome, reasons: [String] = []) {
        self.outcome = outcome
        self.reasons = reasons
    }

    public var exitStatus: Int32 {
        switch outcome {
        case .passed: 0
        case .incomplete, .error: 1
        case .failed: 2
        }
    }

    private enum CodingKeys: String, CodingKey {
        case outcome, exitStatus, reasons
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(exitStatus, forKey: .exitStatus)
        try container.encode(reasons, forKey: .reasons)
    }

    /// This verdict, with one more reason why the measurement is incomplete.
    public func incomplete(because reason: String) -> Verdict {
        Verdict(outcome == .passed ? .incomplete : outcome, reasons: reasons + [reason])
    }
}
