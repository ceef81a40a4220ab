/// What the exchanges of WHIP and WHEP answer, without the headers that every HTTP response has.
public struct SignallingResponse: Hashable, Sendable {
    public let status: Int
    public let headers: [Header]
    public let body: Body

    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    public enum Body: Hashable, Sendable {
        case none
        /// A session description; its `Content-Type` is among the headers.
        case description(String)
        /// What is wrong: a sentence without a full stop (RFC 9457).
        case problem(String)
    }

    init(_ status: Int, _ headers: [Header] = [], _ body: Body = .none) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The request is refused.
    public init(_ error: OfferError) {
        self = .problem(error.status, error.description)
    }

    /// The request is refused for a reason of the server, such as 409 (nothing can be played now, or another client publishes) and 503
    /// (too much to do).
    ///
    /// - Parameters:
    ///   - text: what is wrong, a sentence without a full stop.
    ///   - retryAfterSeconds: when another try may succeed; `nil` if that is not known.
    public static func problem(_ status: Int, _ text: String, retryAfterSeconds: Int? = nil) -> SignallingResponse {
        SignallingResponse(status, retryAfterSeconds.map { [Header("Retry-After", "\($0)")] } ?? [], .problem(text))
    }
}
