import Media
import RTP

/// A request whose answer is waited for, and what its response needs.
struct PendingRequest: Sendable {
    enum Kind: Sendable {
        case describe(DescribeRequest)
        case setUp(SetUpRequest, url: RequestURL)
        case play(SessionID)
        /// The answer is there, and waits: whoever guesses passwords is to take time.
        case refused(Refusal, until: MonotonicTime)
    }

    let id: RequestID
    let cSeq: CSeq
    let kind: Kind

    /// Who asks for what, where that makes no part of a session yet.
    var question: (Grant, StreamForm, path: String)? {
        switch kind {
        case .describe(let request): (request.grant, .tracks, request.path)
        case .setUp(let request, _): request.session == nil ? (request.grant, request.form, request.path) : nil
        case .play, .refused: nil
        }
    }

    /// When the answer goes out that is there already.
    var due: MonotonicTime? { if case .refused(_, let due) = kind { due } else { nil } }

    /// The session that the request belongs to, which does not time out meanwhile.
    var session: SessionID? {
        switch kind {
        case .describe, .refused: nil
        case .setUp(let request, _): request.session
        case .play(let session): session
        }
    }
}
