import Media
import RTP

/// A request that waits for the server's answer.
struct PendingRequest: Sendable {
    enum Kind: Sendable {
        case describe(DescribeRequest)
        case setUp(SetUpRequest, url: RequestURL)
        case play(SessionID)
        case announce(AnnounceRequest)
        case setUpPublisher(PublisherSetUpRequest, url: RequestURL)
        case record(SessionID)
        /// The refusal is known but delayed, to slow down guessing of passwords.
        case refused(Refusal, until: MonotonicTime)
        /// An external service decides about the request first.
        case decision(Decision)
    }

    /// A request that waits for an external authorisation.
    struct Decision: Sendable {
        let question: ExternalAuthorisationRequest
        let request: Result<ValidatedRequest, Refusal>
        /// The timeout of the authorisation.
        let due: MonotonicTime
    }

    let id: RequestID
    let cSeq: CSeq
    let kind: Kind

    /// The user, right and path of a request that does not belong to a session yet.
    var question: (Grant, Right, RTPEncapsulation, path: String)? {
        switch kind {
        case .describe(let request): (request.grant, .read, .tracks, request.path)
        case .setUp(let request, _):
            request.session == nil ? (request.grant, .read, request.encapsulation, request.path) : nil
        case .announce(let request): (request.grant, .publish, .tracks, request.path)
        case .play, .setUpPublisher, .record, .refused, .decision: nil
        }
    }

    /// The time of the response at the latest; `nil` if the server's answer has no deadline.
    var due: MonotonicTime? {
        switch kind {
        case .refused(_, let due): due
        case .decision(let decision): decision.due
        case .describe, .setUp, .play, .announce, .setUpPublisher, .record: nil
        }
    }

    /// The session of the request, which does not time out meanwhile.
    var session: SessionID? {
        switch kind {
        case .describe, .announce, .refused, .decision: nil
        case .setUp(let request, _): request.session
        case .setUpPublisher(let request, _): request.session
        case .play(let session), .record(let session): session
        }
    }
}
