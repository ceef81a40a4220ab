/// What somebody else is asked who decides what a client may do.
public struct ExternalAuthorisationRequest: Hashable, Sendable {
    /// Both empty where the client says nothing of itself: most do so first, and wait to be asked.
    public let user: String
    public let password: String
    public let right: Right
    /// Without its leading slash, but for `/` itself; empty for the server as a whole.
    public let path: String
    /// Undecoded, without `?`; empty where there is none.
    public let query: String
    /// The client's.
    public let address: String
    public let security: ConnectionSecurity
    /// What the client calls itself; empty where it does not.
    public let userAgent: String

    /// What an answer holds for, for as long as the connection lasts.
    struct Subject: Hashable {
        let user: String
        let password: String
        let right: Right
        let path: String
    }

    var subject: Subject { Subject(user: user, password: password, right: right, path: path) }

    /// Whether a refusal means that something was guessed wrong.
    var hasCredentials: Bool { !user.isEmpty || !password.isEmpty }
}

extension ExternalAuthorisationRequest: CustomStringConvertible, CustomReflectable {
    /// Nothing of the password.
    public var description: String { "\(right.rawValue) \(path) for \(address)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What was decided.
public enum AccessDecision: Hashable, Sendable {
    case admitted
    case refused
    /// Nobody has decided: then nobody is let in.
    case unavailable
    /// Too many requests of the client's address wait for a decision; this one was not asked about.
    case tooManyWaiting
}

extension AccessFailure {
    /// Whether a password was wrong: whoever tries many is to take time.
    var isGuess: Bool {
        switch self {
        case .wrongCredentials: true
        case .deniedExternally(let isGuess): isGuess
        default: false
        }
    }
}
