import Media
import RTP

/// Authenticates the client of one connection and authorises its requests, of RTSP or HTTP.
///
/// It runs before everything else: the server looks up and validates nothing for a request that the client may not send. An
/// unknown user, a wrong password and a forbidden path get the same answer after the same work.
public struct Authenticator: Sendable {
    public private(set) var policy: AccessPolicy
    private let peer: Endpoint
    /// The peer's address as a number.
    private let address: IPAddress?
    private let security: ConnectionSecurity
    private let lockOut: LockOut
    private var nonce: ConnectionNonce
    /// The nonces of all connections, if clients send one over several; `nil` if each connection has its own.
    private let nonces: ServerNonces?
    /// The rights that need a password even if the policy requires none.
    private let guarded: Set<Right>
    /// The user as which the client has authenticated.
    private var authenticatedUser: String?
    /// The external authorisations of this connection.
    private var admitted: [ExternalAuthorisationRequest.Subject: Grant] = [:]

    /// - Parameters:
    ///   - nonces: the nonces of all connections, if clients send one over several, as clients of HTTP do.
    ///   - guarded: the rights that need a password even if the policy requires none.
    public init(
        _ policy: AccessPolicy, lockOut: LockOut, peer: Endpoint, security: ConnectionSecurity,
        nonces: ServerNonces? = nil, guarding guarded: Set<Right> = []
    ) {
        self.policy = policy
        self.lockOut = lockOut
        self.peer = peer
        (self.nonces, self.guarded) = (nonces, guarded)
        address = IPAddress(peer.address)
        self.security = security
        nonce = ConnectionNonce(lifetimeSeconds: policy.nonceSeconds, random: policy.random)
    }

    /// The same authenticator with another policy. The challenge stays valid, so clients need not ask their users again.
    public func applying(_ policy: AccessPolicy) -> Self {
        var other = self
        other.policy = policy
        other.authenticatedUser = authenticatedUser.flatMap { policy.user($0, authenticatedBy: self.policy)?.name }
        other.nonce.lifetimeSeconds = policy.nonceSeconds
        other.admitted = [:]
        return other
    }

    /// The grant that replaces one of the policy `former` for a client that watches or publishes `path`.
    ///
    /// `nil` if the user no longer has this right to the path, may not connect from this address, or has another password now.
    func renewed(
        _ grant: Grant, _ right: Right, _ encapsulation: RTPEncapsulation, at path: String, since former: AccessPolicy?
    ) -> Grant? {
        guard policy.addresses.admits(address) else { return nil }
        guard policy.requiresAuthentication(of: peer, for: right) else { return .everything }
        // Running sessions keep their authorisation; only later requests are sent to the external service.
        if policy.exemptPaths != nil { return grant }
        guard let name = grant.user, let user = policy.user(name, authenticatedBy: former),
            user.addresses.admits(address)
        else { return nil }
        let renewed = encapsulation == .transportStream ? user.grant.toRead : user.grant
        return renewed.admits(right, path) ? renewed : nil
    }

    /// Whether a grant of the policy `former` still permits a client of another protocol than RTSP to watch `path`.
    public func admits(_ grant: Grant, toWatch path: String, since former: AccessPolicy?) -> Bool {
        admits(grant, .read, path, since: former)
    }

    /// Whether a grant of the policy `former` still permits a client of another protocol than RTSP to watch or publish `path`.
    public func admits(_ grant: Grant, _ right: Right, _ path: String, since former: AccessPolicy?) -> Bool {
        renewed(grant, right, .tracks, at: path, since: former) != nil
    }

    /// Authorises a request.
    public mutating func authorise(
        _ request: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> Outcome {
        guard policy.addresses.admits(address) else { throw .address }
        guard guarded.contains(request.right) || policy.requiresAuthentication(of: peer, for: request.right) else {
            return .granted(.everything)
        }
        if let exempt = policy.exemptPaths { return try authorise(request, exempting: exempt, at: now) }
        return .granted(try grant(for: request, at: now))
    }

    private mutating func grant(for request: AuthorisationRequest, at now: MonotonicTime) throws(AccessFailure) -> Grant
    {
        let (user, grant) = try authenticated(request, at: now)
        authenticatedUser = user.name
        guard user.addresses.admits(address),
            grant.admits(request.right, request.path, ignoringCase: request.encapsulation == .transportStream)
        else { throw .notPermitted(user: user.name) }
        return grant
    }

    /// Counts a wrong password; true if it locks the address out.
    public func countGuess(at now: MonotonicTime) -> Bool {
        lockOut.countGuess(address, within: policy.guessing, at: now)
    }

    /// The response to a refused request. It does not tell the reason, except for a locked-out address.
    public mutating func refusal(_ failure: AccessFailure, at now: MonotonicTime) -> Refusal {
        if case .lockedOut(let seconds) = failure {
            return Refusal(
                .forbidden, reason: "Forbidden: too many wrong passwords", headers: [.retryAfter: "\(seconds)"])
        }
        if failure == .address || !policy.addresses.admits(address) { return Refusal(.forbidden) }
        // An external service needs the plain password, which the server requests only inside TLS.
        if policy.exemptPaths != nil, security == .clear { return Refusal(.forbidden) }
        return Refusal(.unauthorized, headers: [.wwwAuthenticate: challenge(after: failure, at: now)])
    }

    /// The only challenge of a response: Digest, or Basic inside TLS if some users cannot log in by Digest. Basic sends the plain
    /// password, which TLS encrypts.
    private mutating func challenge(after failure: AccessFailure, at now: MonotonicTime) -> String {
        if security == .tls, policy.needsPasswords { return "Basic realm=\"\(policy.realm)\"" }
        return DigestChallenge(
            realm: policy.realm, nonce: challengeNonce(at: now), algorithm: policy.algorithm,
            isStale: failure == .staleNonce, offersProtection: nonces == nil ? nil : true
        ).headerValue
    }

    private mutating func challengeNonce(at now: MonotonicTime) -> String {
        // Without hash functions no password can be checked, so any nonce will do.
        guard let nonces, let hashes = try? policy.verifier().hashes else { return nonce.text(at: now) }
        return nonces.text(for: peer.address, at: now, hashes)
    }

    /// Whether correct credentials name a valid nonce.
    private mutating func admitsNonce(
        of credentials: DigestCredentials, at now: MonotonicTime, _ hashes: HashFunctions
    ) -> Bool {
        guard let nonces else { return nonce.admits(credentials, at: now) }
        return nonces.admits(
            credentials, from: peer.address, withinSeconds: policy.nonceSeconds, at: now, hashes)
    }

    private mutating func authenticated(
        _ request: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> (AccessPolicy.User, Grant) {
        if let login = request.login {
            let user = try user(with: login, at: now)
            return (user, user.grant)
        }
        let values = request.authorization
        if values.isEmpty, request.encapsulation == .transportStream, let information = request.url?.userInformation {
            guard policy.takesURLCredentials(of: peer) else { throw refusal(of: .credentialsInURL, at: now) }
            let user = try user(with: information, at: now)
            return (user, user.grant.toRead)
        }
        guard !values.isEmpty else {
            if authenticatedUser == nil { try requireNotLockedOut(of: nil, at: now) }
            throw .noCredentials(request.encapsulation)
        }
        guard values.count == 1, let authorization = Authorization(values[0]) else {
            throw refusal(of: .unusableCredentials, at: now)
        }
        let user =
            switch authorization {
            case .digest(let credentials): try user(with: credentials, for: request, at: now)
            case .basic(let information) where security == .tls: try user(with: information, at: now)
            // Without TLS, a listener would learn the password; it is not even checked.
            case .basic: throw refusal(of: .unusableCredentials, at: now)
            }
        return (user, user.grant)
    }

    private mutating func user(
        with credentials: DigestCredentials, for request: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> AccessPolicy.User {
        // Credentials for another challenge, such as one from before a change of the realm, do not count as a guess.
        guard credentials.realm == policy.realm, credentials.algorithm == policy.algorithm,
            nonces == nil || credentials.protection != nil
        else {
            throw refusal(of: .unusableCredentials, at: now)
        }
        try requireNotLockedOut(of: credentials.user, at: now)
        let verifier = try policy.verifier()
        let account = verifier.account(of: credentials.user)
        let response = credentials.response(
            secret: account.digestSecret, method: request.method, verifier.hashes)
        let isCorrect = verifier.hashes.areEqual(response, credentials.response)
        guard isCorrect, let user = account.user else { throw .wrongCredentials(user: account.user?.name) }
        guard credentials.isValid(for: request.target, request.url) else { throw .unusableCredentials }
        guard admitsNonce(of: credentials, at: now, verifier.hashes) else { throw .staleNonce }
        return user
    }

    private func user(
        with information: UserInformation, at now: MonotonicTime
    ) throws(AccessFailure) -> AccessPolicy.User {
        try requireNotLockedOut(of: information.user, at: now)
        let verifier = try policy.verifier()
        let account = verifier.account(of: information.user)
        let isCorrect = verifier.isCorrect(information, for: account, policy.realm, policy.algorithm)
        guard isCorrect, let user = account.user else {
            throw .wrongCredentials(user: account.user?.name)
        }
        return user
    }
}

extension Authenticator {
    /// Refuses to check any password from a locked-out address.
    ///
    /// A user who has authenticated on this connection is not locked out, because another client may share the address.
    private func requireNotLockedOut(of user: String?, at now: MonotonicTime) throws(AccessFailure) {
        if let user, user == authenticatedUser { return }
        guard let seconds = lockOut.secondsLeft(for: address, within: policy.guessing, at: now) else { return }
        throw .lockedOut(seconds: seconds)
    }

    /// The failure for credentials that the server did not ask for: the lockout, if the address is locked out. Otherwise the
    /// client could tell from the response that it sends the wrong kind of credentials, and continue at once.
    private func refusal(of failure: AccessFailure, at now: MonotonicTime) -> AccessFailure {
        guard authenticatedUser == nil,
            let seconds = lockOut.secondsLeft(for: address, within: policy.guessing, at: now)
        else {
            return failure
        }
        return .lockedOut(seconds: seconds)
    }
}

// MARK: - Tokens

extension Authenticator {
    /// A token for a user that has just authenticated; `nil` if there is no such user, as with an external service.
    ///
    /// - Parameter place: what clients with the token must have in common, such as their address.
    public func token(
        from tokens: AccessTokens, for purpose: AccessTokens.Purpose, of name: String, at place: String,
        until end: MonotonicTime
    ) throws(AccessFailure) -> String? {
        guard let mark = try policy.passwordMark(of: name) else { return nil }
        return tokens.text(
            for: purpose, of: name, at: place, until: end, mark: mark, try policy.verifier().hashes)
    }

    /// Authorises a request by a token in place of a password. A wrong token is no guess, because none can be guessed.
    public mutating func authorise(
        _ right: Right, _ path: String?, by text: String, of tokens: AccessTokens, for purpose: AccessTokens.Purpose,
        at place: String, at now: MonotonicTime
    ) throws(AccessFailure) -> Grant {
        guard policy.addresses.admits(address) else { throw .address }
        guard let token = AccessTokens.Presented(text), let user = policy.account(of: token.user),
            let mark = try policy.passwordMark(of: token.user),
            tokens.admits(
                token, for: purpose, at: place, mark: mark, at: now, try policy.verifier().hashes)
        else { throw .invalidToken }
        let grant: Grant
        switch purpose {
        case .session: grant = user.grant
        case .watching(let watched): grant = user.grant.toWatch(watched)
        }
        guard user.addresses.admits(address), grant.admits(right, path) else {
            throw .notPermitted(user: user.name)
        }
        authenticatedUser = user.name
        return grant
    }
}

// MARK: - External authorisation

extension Authenticator {
    /// The number of external authorisations that one connection keeps: it has few sessions and uses few paths.
    private static let admittedCapacity = 16

    private mutating func authorise(
        _ request: AuthorisationRequest, exempting exempt: [PathPattern], at now: MonotonicTime
    ) throws(AccessFailure) -> Outcome {
        let path = request.path ?? ""
        if request.right == .read, exempt.contains(where: { $0.matches(path, ignoringCase: false) }) {
            return .granted(.everything)
        }
        let information = try password(in: request, at: now)
        var question = ExternalAuthorisationRequest(
            user: information?.user ?? "", password: information?.password ?? "", right: request.right,
            path: path == "/" ? path : String(path.drop { $0 == "/" }), query: request.query,
            address: peer.address, security: security, userAgent: request.userAgent)
        question.application = request.application
        if let grant = admitted[question.subject] { return .granted(grant) }
        // A keepalive need not name a path: it is allowed if the user has been admitted to any path.
        if request.path == nil, request.right == .read,
            let grant = admitted.first(where: { $0.key.user == question.user && $0.key.password == question.password })
        {
            return .granted(grant.value)
        }
        if question.hasCredentials { try requireNotLockedOut(of: nil, at: now) }
        return .needsExternalDecision(question)
    }

    /// Records that the external service admitted the request. The grant is valid until the connection closes.
    public mutating func admit(_ question: ExternalAuthorisationRequest) -> Grant {
        let patterns = question.path.isEmpty ? [] : [PathPattern(exactly: question.path)]
        let grant = Grant(user: question.user, [question.right: patterns])
        if admitted.count >= Self.admittedCapacity { admitted = [:] }
        admitted[question.subject] = grant
        return grant
    }

    /// The plain user and password: from Basic inside TLS, or from the URL of a client that does not support challenges.
    private func password(
        in request: AuthorisationRequest, at now: MonotonicTime
    ) throws(AccessFailure) -> UserInformation? {
        switch request.login {
        case .password(let information): return information
        case .proof(let user, _): throw refusal(of: .passwordIsNotStored(user: user), at: now)
        case nil: break
        }
        let values = request.authorization
        guard !values.isEmpty else {
            guard request.encapsulation == .transportStream, let information = request.url?.userInformation else {
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

// MARK: - RTMP and SRT

extension Authenticator {
    /// What a client of RTMP or SRT presents.
    public enum Login: Sendable {
        /// From the query of its URL, or from its stream id.
        case password(UserInformation)
        /// The answer to a challenge, which only the password itself can check.
        case proof(user: String, isCorrect: @Sendable (_ password: String) -> Bool)
    }

    /// Checks what a client has presented, before it is known what for.
    public mutating func verify(_ login: Login, at now: MonotonicTime) throws(AccessFailure) {
        authenticatedUser = try user(with: login, at: now).name
    }

    /// Refuses a locked-out address.
    public func requireNotLockedOut(at now: MonotonicTime) throws(AccessFailure) {
        try requireNotLockedOut(of: nil, at: now)
    }

    private mutating func user(
        with login: Login, at now: MonotonicTime
    ) throws(AccessFailure) -> AccessPolicy.User {
        switch login {
        case .password(let information): return try user(with: information, at: now)
        case .proof(let name, let isCorrect):
            try requireNotLockedOut(of: name, at: now)
            let account = try policy.verifier().account(of: name)
            switch account.user?.secret {
            case .password(let password):
                guard isCorrect(password), let user = account.user else { throw .wrongCredentials(user: name) }
                return user
            case .digest, .salted: throw .passwordIsNotStored(user: name)
            case nil:
                // The same work as for a known user.
                _ = isCorrect(account.digestSecret)
                throw .wrongCredentials(user: nil)
            }
        }
    }
}

/// Whether a connection is encrypted.
public enum ConnectionSecurity: Hashable, Sendable {
    case clear
    case tls
}
