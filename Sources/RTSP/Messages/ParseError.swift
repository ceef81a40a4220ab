/// Invalid RTSP from the peer. The connection must close, because the start of the next message is unknown.
public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Fault: Hashable, Sendable {
        /// The first byte of a message is neither `$` nor a letter. The client may use TLS.
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
    /// The index of the invalid byte among all bytes of the connection.
    public let position: Int
    /// The CSeq of the request, if it was read before the fault.
    public let cSeq: CSeq?

    public init(_ fault: Fault, position: Int, cSeq: CSeq? = nil) {
        self.fault = fault
        self.position = position
        self.cSeq = cSeq
    }

    /// The status of the response.
    public var status: StatusCode {
        switch fault {
        case .http: .notImplemented
        case .urlTooLong: .requestURITooLarge
        case .headTooLong, .tooManyHeaders, .bodyTooLong: .requestEntityTooLarge
        default: .badRequest
        }
    }

    public var description: String {
        let problem =
            switch fault {
            case .notText where position == 0: "neither text nor interleaved data (TLS on the port without TLS?)"
            case .notText: "neither text nor interleaved data"
            case .controlCharacter: "control character"
            case .badStartLine: "malformed start line"
            case .http: "HTTP"
            case .urlTooLong: "URL too long"
            case .headTooLong: "headers too long"
            case .tooManyHeaders: "too many headers"
            case .badHeader: "malformed header"
            case .badContentLength: "invalid Content-Length"
            case .bodyTooLong: "body too long"
            }
        return "\(problem), at byte \(position)"
    }
}
