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

    /// The session that the request belongs to, which does not time out meanwhile.
    var session: SessionID? {
        switch kind {
        case .describe: nil
        case .setUp(let request, _): request.session
        case .play(let session): session
        }
    }
}
