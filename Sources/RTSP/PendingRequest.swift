import RTP

/// A request that only the server can answer, and what its response needs.
struct PendingRequest: Sendable {
    enum Kind: Sendable {
        case describe(DescribeRequest)
        case setUp(SetUpRequest, url: RequestURL)
        case play(SessionID)
    }

    let id: RequestID
    let cSeq: CSeq
    let kind: Kind

    /// Who asks for what, where that makes no part of a session yet.
    var question: (Grant, StreamForm, path: String)? {
        switch kind {
        case .describe(let request): (request.grant, .tracks, request.path)
        case .setUp(let request, _): request.session == nil ? (request.grant, request.form, request.path) : nil
        case .play: nil
        }
    }

    /// The session that the request belongs to, which does not time out meanwhile.
    var session: SessionID? {
        switch kind {
        case .describe: nil
        case .setUp(let request, _): request.session
        case .play(let session): session
        }
    }
}
