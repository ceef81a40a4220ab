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
        /// Somebody else decides about it first.
        case decision(Decision)
    }

    /// What somebody else decides about.
    struct Decision: Sendable {
        let question: ExternalAuthorisationRequest
        let request: Result<ValidatedRequest, Refusal>
        /// When nobody waits for it any longer.
        let due: MonotonicTime
    }

    let id: RequestID
    let cSeq: CSeq
    let kind: Kind

    /// Who asks for what, where that makes no part of a session yet.
    var question: (Grant, RTPEncapsulation, path: String)? {
        switch kind {
        case .describe(let request): (request.grant, .tracks, request.path)
        case .setUp(let request, _): request.session == nil ? (request.grant, request.encapsulation, request.path) : nil
        case .play, .refused, .decision: nil
        }
    }

    /// When something is answered, whatever comes until then.
    var due: MonotonicTime? {
        switch kind {
        case .refused(_, let due): due
        case .decision(let decision): decision.due
        case .describe, .setUp, .play: nil
        }
    }

    /// The session that the request belongs to, which does not time out meanwhile.
    var session: SessionID? {
        switch kind {
        case .describe, .refused, .decision: nil
        case .setUp(let request, _): request.session
        case .play(let session): session
        }
    }
}
