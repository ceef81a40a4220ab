/// What a run comes to, as its exit status and its JSON say it.
public struct Verdict: Encodable, Equatable, Sendable {
    public enum Outcome: String, Encodable, Sendable {
        /// All was measured, and no threshold holds.
        case passed
        /// A threshold holds, or cannot be judged.
        case failed
        /// Something is missing: the stream ended early, sessions failed, frames were left out.
        case incomplete
        /// Nothing was measured.
        case error
    }

    public let outcome: Outcome
    /// One sentence each; none where it passed.
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

    /// The same with one more thing missing.
    public func lacking(_ reason: String) -> Verdict {
        Verdict(outcome == .passed ? .incomplete : outcome, reasons: reasons + [reason])
    }
}
