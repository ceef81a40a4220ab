import Media
import RTP

/// Asks one connection's client who it is, and lets by what it may.
///
/// It comes before everything else: nothing is looked up, and nothing of a request is judged, before its sender may send it.
/// Whoever does not exist, knows no password or asks for what is not theirs gets the same answer after the same work.
struct Authenticator: Sendable {
    private(set) var policy: AccessPolicy
    private let peer: Endpoint
    /// The peer's, as a number.
    private let address: IPAddress?
    private let security: ConnectionSecurity
    private let lockOut: LockOut
    private var nonce: ConnectionNonce
    /// Who the client has proved to be.
    private var authenticatedUser: String?
    /// What somebody else has admitted on this connection.
    private var admitted: [ExternalAuthorisationRequest.Subject: Grant] = [:]

    init(_ policy: AccessPolicy, lockOut: LockOut, peer: Endpoint, security: ConnectionSecurity) {
        self.policy = policy
        self.lockOut = lockOut
        self.peer = peer
        address = IPAddress(peer.address)
        self.security = security
        nonce = ConnectionNonce(lifetimeSeconds: policy.nonceSeconds, random: policy.random)
    }

    /// The same gate by another policy. Its challenge stays, so that who has answered it goes on without asking anybody.
    func following(_ policy: AccessPolicy) -> Self {
        var other = self
        other.policy = policy
        other.authenticatedUser = authenticatedUser.flatMap { policy.user($0, authenticatedBy: self.policy)?.name }
        other.nonce.lifetimeSeconds = policy.nonceSeconds
        other.admitted = [:]
        return other
    }

    /// What is left of a grant to watch `path` that was given by the policy `former`; `nil` where that may not be watched any
    /// more, not from there, or not with the password that was proved.
    func renewed(_ grant: Grant, _ encapsulation: RTPEncapsulation, at path: String, since former: AccessPolicy?)
        -> Grant?
    {
        guard policy.addresses.admits(address) else { return nil }
        guard policy.asks(peer) else { return .everything }
        // Who watches was admitted, be it by whom it may; the next who asks is asked about.
        if policy.exemptPaths != nil { return grant }
        guard let name = grant.user, let user = policy.user(name, authenticatedBy: former),
            user.addresses.admits(address)
        else { return nil }
        let renewed = encapsulation == .transportStream ? user.grant.toRead : user.grant
        return renewed.admits(.read, path) ? renewed : nil
    }

    /// What is asked for, as far as it can be told before the request was judged.
    struct AuthorisationRequest {
        let request: Request
        /// `nil` for `*`, and for what is none.
        let url: RequestURL?
        let right: Right
        /// Whether the client is of a dialect that knows no challenge (``SATIP``).
        let encapsulation: RTPEncapsulation

        /// A DESCRIBE names a stream whatever its path looks like.
        var path: String? { request.method == .describe ? url?.wholePath : url?.path }
    }

    /// What is known of who asks.
    enum Outcome {
        case granted(Grant)
        /// Somebody else is to be asked; ``admit(_:)`` if the answer is yes.
        case needsExternalDecision(ExternalAuthorisationRequest)
    }

    /// Who asks, if they may.
    mutating func authorise(for inquiry: AuthorisationRequest, at now: MonotonicTime) throws(AccessFailure) -> Outcome {
        guard policy.addresses.admits(address) else { throw .address }
        guard policy.asks(peer) else { return .granted(.everything) }
        if let exempt = policy.exemptPaths { return try authorise(for: inquiry, except: exempt, at: now) }
        return .granted(try grant(for: inquiry, at: now))
    }

    private mutating func grant(for inquiry: AuthorisationRequest, at now: MonotonicTime) throws(AccessFailure) -> Grant
    {
        let (user, grant) = try authenticated(inquiry, at: now)
        authenticatedUser = user.name
        guard user.addresses.admits(address),
            grant.admits(inquiry.right, inquiry.path, ignoringCase: inquiry.encapsulation == .transportStream)
        else { throw .notPermitted(user: user.name) }
        return grant
    }

    /// A wrong password came from here; true where the address is locked out by it.
    func guessed(at now: MonotonicTime) -> Bool {
        lockOut.guessed(address, within: policy.guessing, at: now)
    }

    /// What a client is told that may not; never why, but for who is locked out.
    mutating func refusal(_ failure: AccessFailure, at now: MonotonicTime) -> Refusal {
        if case .lockedOut(let seconds) = failure {
            return Refusal(
                .forbidden, reason: "Forbidden: too many wrong passwords", headers: [.retryAfter: "\(seconds)"])
        }
        if failure == .address || !policy.addresses.admits(address) { return Refusal(.forbidden) }
        // Passwords are for others to judge, who need them as they are: they are asked for inside TLS alone.
        if policy.exemptPaths != nil, security == .clear { return Refusal(.forbidden) }
        return Refusal(.unauthorized, headers: [.wwwAuthenticate: challenge(after: failure, at: now)])
    }

    /// The one challenge of a response: Digest, unless that could not prove everybody. Basic tells the password, which nobody
    /// hears inside TLS but who has it.
    private mutating func challenge(after failure: AccessFailure, at now: MonotonicTime) -> String {
        if security == .tls, policy.needsPasswords { return "Basic realm=\"\(policy.realm)\"" }
        return DigestChallenge(
            realm: policy.realm, nonce: nonce.text(at: now), algorithm: policy.algorithm,
            isStale: failure == .staleNonce
        ).headerValue
    }

    private mutating func authenticated(
        _ inquiry: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> (AccessPolicy.User, Grant) {
        let values = inquiry.request.headers.values(of: .authorization)
        if values.isEmpty, inquiry.encapsulation == .transportStream, let information = inquiry.url?.userInformation {
            guard policy.takesURLCredentials(of: peer) else { throw refusal(of: .credentialsInURL, at: now) }
            let user = try user(with: information, at: now)
            return (user, user.grant.toRead)
        }
        guard !values.isEmpty else {
            if authenticatedUser == nil { try admitGuess(of: nil, at: now) }
            throw .noCredentials(inquiry.encapsulation)
        }
        guard values.count == 1, let authorization = Authorization(values[0]) else {
            throw refusal(of: .unusableCredentials, at: now)
        }
        let user =
            switch authorization {
            case .digest(let credentials): try user(with: credentials, for: inquiry, at: now)
            case .basic(let information) where security == .tls: try user(with: information, at: now)
            // In the clear, whoever listens would know the password: it is not even tried.
            case .basic: throw refusal(of: .unusableCredentials, at: now)
            }
        return (user, user.grant)
    }

    private mutating func user(
        with credentials: DigestCredentials, for inquiry: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> AccessPolicy.User {
        // What answers another question, as the one of before the realm was changed, is no guess.
        guard credentials.realm == policy.realm, credentials.algorithm == policy.algorithm else {
            throw refusal(of: .unusableCredentials, at: now)
        }
        try admitGuess(of: credentials.user, at: now)
        let ledger = try policy.ledger()
        let account = ledger.account(of: credentials.user)
        let response = credentials.response(
            secret: account.digestSecret, method: inquiry.request.method, ledger.hashes)
        let isRight = ledger.hashes.areEqual(response, credentials.response)
        guard isRight, let user = account.user else { throw .wrongCredentials(user: account.user?.name) }
        guard credentials.isMeant(for: inquiry.request.target, inquiry.url) else { throw .unusableCredentials }
        guard nonce.admits(credentials, at: now) else { throw .staleNonce }
        return user
    }

    private func user(
        with information: UserInformation, at now: MonotonicTime
    ) throws(AccessFailure) -> AccessPolicy.User {
        try admitGuess(of: information.user, at: now)
        let ledger = try policy.ledger()
        let account = ledger.account(of: information.user)
        let isRight = ledger.isRight(information, for: account, policy.realm, policy.algorithm)
        guard isRight, let user = account.user else {
            throw .wrongCredentials(user: account.user?.name)
        }
        return user
    }
}

extension Authenticator {
    /// Compares nothing for who is locked out, be it right or wrong. Who has proved to be somebody on this connection goes on to
    /// be so: somebody else behind the same address may have guessed.
    private func admitGuess(of user: String?, at now: MonotonicTime) throws(AccessFailure) {
        if let user, user == authenticatedUser { return }
        guard let seconds = lockOut.secondsLeft(for: address, within: policy.guessing, at: now) else { return }
        throw .lockedOut(seconds: seconds)
    }

    /// Why credentials that the server did not ask for are refused: because of the lock-out, if the address is locked out. Else a
    /// client could tell from the answer that it sends the wrong kind of credentials, and go on at once.
    private func refusal(of failure: AccessFailure, at now: MonotonicTime) -> AccessFailure {
        guard authenticatedUser == nil,
            let seconds = lockOut.secondsLeft(for: address, within: policy.guessing, at: now)
        else {
            return failure
        }
        return .lockedOut(seconds: seconds)
    }
}

// MARK: - Somebody else decides

extension Authenticator {
    /// Answers of somebody else that are remembered for one connection: it has few sessions, and asks for few paths.
    private static let admittedCapacity = 16

    private mutating func authorise(
        for inquiry: AuthorisationRequest, except exempt: [PathPattern], at now: MonotonicTime
    ) throws(AccessFailure) -> Outcome {
        let path = inquiry.path ?? ""
        if inquiry.right == .read, exempt.contains(where: { $0.matches(path, ignoringCase: false) }) {
            return .granted(.everything)
        }
        let information = try password(in: inquiry, at: now)
        let question = ExternalAuthorisationRequest(
            user: information?.user ?? "", password: information?.password ?? "", right: inquiry.right,
            path: path == "/" ? path : String(path.drop { $0 == "/" }), query: inquiry.url?.query ?? "",
            address: peer.address,
            security: security, userAgent: inquiry.request.headers[.userAgent] ?? "")
        if let grant = admitted[question.subject] { return .granted(grant) }
        // A keepalive may name no path: who has been admitted to one may send it.
        if inquiry.path == nil,
            let grant = admitted.first(where: { $0.key.user == question.user && $0.key.password == question.password })
        {
            return .granted(grant.value)
        }
        if question.hasCredentials { try admitGuess(of: nil, at: now) }
        return .needsExternalDecision(question)
    }

    /// Somebody else has admitted what was asked: so it is for as long as the connection lasts.
    mutating func admit(_ question: ExternalAuthorisationRequest) -> Grant {
        let patterns = question.path.isEmpty ? [] : [PathPattern(exactly: question.path)]
        let grant = Grant(user: question.user, [question.right: patterns])
        if admitted.count >= Self.admittedCapacity { admitted = [:] }
        admitted[question.subject] = grant
        return grant
    }

    /// User and password as they are: by Basic inside TLS, or in the URL of a client that knows no challenge.
    private func password(
        in inquiry: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> UserInformation? {
        let values = inquiry.request.headers.values(of: .authorization)
        guard !values.isEmpty else {
            guard inquiry.encapsulation == .transportStream, let information = inquiry.url?.userInformation else {
                return nil
            }
            guard policy.takesURLCredentials(of: peer) else { throw refusal(of: .credentialsInURL, at: now) }
            return information
        }
        guard values.count == 1, security == .tls, case .basic(let information)? = Authorization(values[0]) else {
            throw refusal(of: .unusableCredentials, at: now)
        }
        return information
    }
}

/// Who else may read what a connection carries.
public enum ConnectionSecurity: Hashable, Sendable {
    case clear
    case tls
}

/// Why a request was not let by: for the log and for counting, not for the client.
public enum AccessFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its address is not let in.
    case address
    /// It does not say who asks, as every client's first request. The dialect of the form knows no challenge.
    case noCredentials(RTPEncapsulation)
    /// The user is told only where there is one of that name: people type passwords there, too.
    case wrongCredentials(user: String?)
    /// They cannot be read, are there twice, are Basic in the clear, or are for something else: no guess of a password.
    case unusableCredentials
    /// They stand in the URL, where the policy takes none from.
    case credentialsInURL
    /// Its address has sent too many wrong passwords.
    case lockedOut(seconds: Int)
    /// It was right, but for a nonce that has expired or is another connection's.
    case staleNonce
    /// The user may not do that, or not from there.
    case notPermitted(user: String)
    /// Who decides has refused it; a guess where it had a password.
    case deniedExternally(isGuess: Bool)
    /// This host has nothing to try a password with.
    case noHashFunctions

    public var description: String {
        switch self {
        case .address: "its address is not let in"
        case .noCredentials: "it names no user"
        case .wrongCredentials(let user?): "the password of \(user) is wrong"
        case .wrongCredentials: "it proves to be no user that there is"
        case .unusableCredentials: "its credentials are not those that it was asked for: Digest, or Basic inside TLS"
        case .credentialsInURL:
            "it sends its password in the URL, in the clear, and access.satip is not for that address"
        case .lockedOut(let seconds): "its address has sent too many wrong passwords: not let in for \(seconds) s"
        case .staleNonce: "it answers an old challenge"
        case .notPermitted(let user): "\(user) may not do that"
        case .deniedExternally: "access.httpCallback does not admit it"
        case .noHashFunctions: "no password can be tried on this host, which has no hash functions: install libssl3"
        }
    }
}
