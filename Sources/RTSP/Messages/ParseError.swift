/// Why bytes are no RTSP: the peer's fault. What follows them cannot be told apart, so the connection ends.
public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Fault: Hashable, Sendable {
        /// The first byte of a message is neither `$` nor one that a line can begin with: TLS, or rubbish.
        case notText
        case controlCharacter
        case badStartLine
        /// A request line or status line of HTTP.
        case http
        case urlTooLong
        case headTooLong
        case tooManyHeaders
        case badHeader
        case badContentLength
        case bodyTooLong
    }

    public let fault: Fault
    /// Index of the offending byte among all that the connection brought.
    public let position: Int
    /// The number of the request, where it was read before the fault.
    public let cSeq: CSeq?

    public init(_ fault: Fault, position: Int, cSeq: CSeq? = nil) {
        self.fault = fault
        self.position = position
        self.cSeq = cSeq
    }

    /// The status that answers it.
    public var status: StatusCode {
        switch fault {
        case .http: .notImplemented
        case .urlTooLong: .requestURITooLarge
        case .headTooLong, .tooManyHeaders, .bodyTooLong: .requestEntityTooLarge
        default: .badRequest
        }
    }

    public var description: String {
        let what =
            switch fault {
            case .notText: "neither text nor interleaved data"
            case .controlCharacter: "a control character"
            case .badStartLine: "a start line that is none"
            case .http: "HTTP"
            case .urlTooLong: "too long a URL"
            case .headTooLong: "too long a head"
            case .tooManyHeaders: "too many headers"
            case .badHeader: "a header that is none"
            case .badContentLength: "a Content-Length that is no length"
            case .bodyTooLong: "too long a body"
            }
        return "\(what), at byte \(position)"
    }
}
