/// A request for authorisation that is sent to an external service.
public struct ExternalAuthorisationRequest: Hashable, Sendable {
    /// Empty, like `password`, if the client sent no credentials. Most clients send them only after a challenge.
    public let user: String
    public let password: String
    public let right: Right
    /// The path without its leading slash, except for `/` itself; empty if the request concerns the whole server.
    public let path: String
    /// The undecoded query without `?`; empty if there is none.
    public let query: String
    /// The client's address.
    public let address: String
    public let security: ConnectionSecurity
    /// The client's `User-Agent`; empty if it sent none.
    public let userAgent: String
    /// The protocol of the connection, without its encryption.
    public var application = Application.rtsp

    /// A protocol that clients use.
    public enum Application: String, Hashable, Sendable {
        case rtsp
        case http
        case rtmp
        case srt
    }

    /// The part of a request for which a decision is valid until the connection closes.
    struct Subject: Hashable {
        let user: String
        let password: String
        let right: Right
        let path: String
    }

    var subject: Subject { Subject(user: user, password: password, right: right, path: path) }

    /// Whether a refusal counts as a wrong password.
    var hasCredentials: Bool { !user.isEmpty || !password.isEmpty }
}

extension ExternalAuthorisationRequest: CustomStringConvertible, CustomReflectable {
    /// A text without the password.
    public var description: String { "\(right.rawValue) \(path) for \(address)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The decision of an external service about a request.
public enum AccessDecision: Hashable, Sendable {
    case admitted
    case refused
    /// The service did not decide; the request is refused.
    case unavailable
    /// Too many requests from the client's address wait for a decision; this one was not sent to the service.
    case tooManyWaiting
}

extension AccessFailure {
    /// Whether the failure counts as a wrong password, which is answered with a delay.
    public var countsAsGuess: Bool {
        switch self {
        case .wrongCredentials: true
        case .deniedExternally(let countsAsGuess): countsAsGuess
        default: false
        }
    }
}
