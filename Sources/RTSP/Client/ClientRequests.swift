import Media

/// The requests of one client: numbers them, adds session and credentials, and finds the request that a response answers. A pure
/// value.
///
/// One request is pending at a time. A request that is answered 401 with a new challenge is repeated once, with credentials.
struct ClientRequests: Sendable {
    /// A request that has no response yet.
    struct Pending: Hashable, Sendable {
        /// The request without the headers of all requests.
        let request: Request
        let number: UInt32
        /// Whether it is a repetition with credentials.
        let isRepeated: Bool
        let sent: MonotonicTime
        /// When the response is overdue.
        let deadline: MonotonicTime
    }

    /// What a response means.
    enum Outcome: Hashable, Sendable {
        /// It answers no pending request.
        case ignored
        /// Send the pending request again, which are these bytes.
        case repeated([UInt8])
        case answered(Request)
    }

    private let userAgent: String
    private let timeoutMilliseconds: Int64
    /// `nil` if the client has no password.
    private(set) var login: ClientLogin?
    /// The session; `nil` before the server has named it.
    var session: SessionHeader?
    private(set) var pending: Pending?
    /// The shortest time from a request to its response so far, in nanoseconds; it includes the server's processing time.
    private(set) var shortestRoundTrip: Int64?
    private var nextNumber: UInt32 = 1

    /// - Parameter timeoutMilliseconds: how long a response may take.
    init(userAgent: String, timeoutMilliseconds: Int64, login: ClientLogin?) {
        (self.userAgent, self.timeoutMilliseconds, self.login) = (userAgent, timeoutMilliseconds, login)
    }

    /// The bytes of a request, which is pending from now on.
    mutating func send(_ request: Request, at now: MonotonicTime) -> [UInt8] {
        send(request, again: false, at: now)
    }

    private mutating func send(_ request: Request, again isRepeated: Bool, at now: MonotonicTime) -> [UInt8] {
        let number = nextNumber
        nextNumber = nextNumber < 0x7FFF_FFFF ? nextNumber + 1 : 1
        pending = Pending(
            request: request, number: number, isRepeated: isRepeated, sent: now,
            deadline: now.advanced(byMilliseconds: timeoutMilliseconds))
        var headers: Headers = [.cSeq: String(number), .userAgent: userAgent]
        if let session { headers[.session] = session.id.text }
        headers[.authorization] = login?.authorization(for: request.method, request.target)
        for field in request.headers.fields { headers.append(field.name, field.value) }
        return Writer.bytes(of: Request(request.method, request.target, headers: headers, body: request.body))
    }

    /// A response came.
    mutating func received(_ response: Response, at now: MonotonicTime) -> Outcome {
        // Responses come in the order of the requests. One with another number is a late one. Some devices send no number.
        guard let pending, CSeq(response.headers)?.number ?? pending.number == pending.number else { return .ignored }
        self.pending = nil
        shortestRoundTrip = min(shortestRoundTrip ?? .max, now - pending.sent)
        if response.status == .unauthorized, !pending.isRepeated, login?.handleChallenge(in: response) == true {
            return .repeated(send(pending.request, again: true, at: now))
        }
        return .answered(pending.request)
    }

    /// No response is expected any more.
    mutating func cancel() { pending = nil }

    /// Keeps the session that a response names. Some devices name the session in the first response only, some name another one in each,
    /// and some name none. The first name counts.
    mutating func keepSession(of response: Response) {
        session = session ?? response.headers[.session].flatMap { SessionHeader($0) }
    }

    /// Why a response ends the connection that is neither a success nor can be answered with credentials.
    func reason(toCloseAfter response: Response, to method: Method) -> ClientCloseReason {
        if let location = response.newLocation { return .moved(method, to: location) }
        if response.status == .unauthorized {
            guard let login else { return .passwordRequired(method) }
            // Without a supported challenge no credentials were sent, so they are not wrong.
            if login.isChallenged { return .wrongPassword(method) }
        }
        return .refused(method, response.status, reason: response.reason, retrySeconds: response.retrySeconds)
    }
}

extension Response {
    /// The URL that a redirection names, without user and password (RFC 2326, section 11.3); `nil` for other responses.
    var newLocation: RequestURL? {
        guard status.isRedirection else { return nil }
        return headers[.location].flatMap { RequestURL($0) }.flatMap { RequestURL($0.text) }
    }

    /// The seconds of `Retry-After` (RFC 2326, section 12.31); `nil` without it, or if it is a date.
    fileprivate var retrySeconds: Int? { headers[.retryAfter].flatMap { $0.trimmed.decimal(maximumDigits: 9) } }
}
