/// Why a source cannot continue, and what its owner can do about it.
public struct SourceFailure: Error, Equatable, Sendable {
    /// One sentence, without a full stop: `no file at film.mp4`.
    public let reason: String
    /// What to do, as an instruction to the reader; empty if nothing can be done.
    public let remedy: String
    /// The least pause before the source is tried again, in milliseconds; 0 for the usual pauses.
    public let leastPauseMilliseconds: Int64

    public init(reason: String, remedy: String = "", leastPauseMilliseconds: Int64 = 0) {
        self.reason = reason
        self.remedy = remedy
        self.leastPauseMilliseconds = leastPauseMilliseconds
    }
}

extension SourceFailure: CustomStringConvertible {
    public var description: String { remedy.isEmpty ? reason : "\(reason); \(remedy)" }
}
