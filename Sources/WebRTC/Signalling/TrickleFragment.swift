import SDP

/// Candidates that a client sends behind its offer (RFC 8840, section 9).
public struct TrickleFragment: Hashable, Sendable {
    /// The fragment of the client's user name; `nil` if the body does not tell it.
    public let userFragment: String?
    /// The values of `a=candidate:`, at most ``candidateLimit``.
    public let candidates: [String]
    /// Whether no candidates follow.
    public let isComplete: Bool

    /// Clients send one candidate or all of them: some addresses with UDP, TCP and TURN.
    public static let byteLimit = 16_384
    static let candidateLimit = 64

    public init(parsing bytes: [UInt8]) throws(OfferError) {
        guard bytes.count <= Self.byteLimit else { throw .tooLong(byteCount: bytes.count, limit: Self.byteLimit) }
        var (userFragment, candidates, isComplete): (String?, [String], Bool) = (nil, [], false)
        var lineNumber = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            lineNumber += 1
            let line = line.last == 0x0D ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            guard line.count >= 2, line[line.startIndex + 1] == UInt8(ascii: "=") else {
                throw .malformed(.init(line: lineNumber, reason: .malformedLine))
            }
            // Lines of media only group the candidates, which all belong to one transport.
            guard line.first == UInt8(ascii: "a") else { continue }
            let text = String(decoding: line.dropFirst(2), as: UTF8.self)
            if text.hasPrefix("ice-ufrag:") {
                userFragment = userFragment ?? String(text.dropFirst("ice-ufrag:".count))
            } else if text.hasPrefix("candidate:") {
                if candidates.count < Self.candidateLimit {
                    candidates.append(String(text.dropFirst("candidate:".count)))
                }
            } else if text == "end-of-candidates" {
                isComplete = true
            }
        }
        (self.userFragment, self.candidates, self.isComplete) = (userFragment, candidates, isComplete)
    }
}
