import HTTP
import Media
import NIOHTTP1
import RTSP
import Reactor

/// Authorises the requests of one connection, by the users, rights, address lists and lock-out of all protocols. Confined to the
/// event loop.
///
/// A client proves who it is in one of these ways, of which the first that the request has is used: a token in the URL, the header
/// `Authorization`, the cookie of a session. Without any it has the rights of its address.
final class AccessControl {
    /// The result of an authorisation.
    enum Outcome {
        case granted(Grant)
        /// The external service must decide; then call ``decided(_:about:for:)``.
        case undecided(ExternalAuthorisationRequest)
        case refused(Problem, AccessFailure)
    }

    /// The name of the cookie. With this prefix, browsers accept it only from this host, through TLS.
    static func cookieName(_ security: ConnectionSecurity) -> String { security == .tls ? "__Host-apus" : "apus" }

    let context: ServerContext
    private var authenticator: (client: ClientIdentity, version: UInt64, value: Authenticator)?
    /// The wrong credentials that were counted last. A client that repeats them guesses only once.
    private var countedGuess: String?

    init(_ context: ServerContext) {
        self.context = context
    }

    /// What a request needs, and what it has.
    struct Question {
        let client: ClientIdentity
        let right: Right
        /// `nil` for the server as a whole.
        let path: String?
        let method: String
        let target: RequestTarget
        let headers: HTTPHeaders

        /// Whether it only plays a stream: it changes nothing, or it is the offer of a player of WebRTC.
        var isPlayback: Bool {
            ["GET", "HEAD"].contains(method)
                || method == "POST" && (target.path.hasSuffix("/whep") || target.path == "/api/webrtc")
        }
    }

    /// Authorises a request.
    func authorise(_ question: Question) -> Outcome {
        let now = MonotonicTime.now()
        guard var authenticator = authenticator(for: question.client) else { return withoutPolicy(question) }
        defer { self.authenticator?.value = authenticator }
        do throws(AccessFailure) {
            return try outcome(of: question, by: &authenticator, at: now)
        } catch {
            return refuse(question, because: error, &authenticator, at: now)
        }
    }

    /// Whether a client's address may connect at all.
    func admits(_ client: ClientIdentity) -> Bool {
        context.services.access.policy?.addresses.admits(client.address) ?? true
    }

    /// The external service has decided.
    func decided(_ decision: AccessDecision, about request: ExternalAuthorisationRequest, for question: Question)
        -> Outcome
    {
        let now = MonotonicTime.now()
        guard var authenticator = authenticator(for: question.client), authenticator.policy.asksExternally else {
            // The policy has changed meanwhile.
            return .refused(
                Problem(.serviceUnavailable, "the access policy has changed; try again", retryAfter: 1), .address)
        }
        defer { self.authenticator?.value = authenticator }
        switch decision {
        case .admitted: return .granted(authenticator.admit(request))
        case .refused:
            let failure = AccessFailure.deniedExternally(countsAsGuess: !request.user.isEmpty)
            return refuse(question, because: failure, &authenticator, at: now)
        case .unavailable, .tooManyWaiting:
            return .refused(
                Problem(.serviceUnavailable, "access.httpCallback does not decide now", retryAfter: 1), .address)
        }
    }

    /// A token for the user of a request that has just been authorised; `nil` if there is no such user.
    func token(for purpose: AccessTokens.Purpose, of user: String, client: ClientIdentity, lastingSeconds seconds: Int)
        -> String?
    {
        guard let authenticator = authenticator(for: client) else { return nil }
        let end = MonotonicTime.now().advanced(byMilliseconds: Int64(seconds) * 1000)
        // A URL with a token may be passed to a program on another host.
        let place = purpose == .session ? Self.place(of: client) : ""
        // Without hash functions no password could have been checked before.
        return
            (try? authenticator.token(
                from: context.tokens, for: purpose, of: user, at: place, until: end)) ?? nil
    }

    /// Tells from now on whether a client that was permitted to watch a path still is.
    func permission(of request: Request, toWatch path: String) -> () -> Bool {
        let former = context.services.access.policy
        return { [self] in permits(request.grant, request.identity, toWatch: path, since: former) }
    }

    /// Whether a client that was permitted to watch a path by the policy `former` still is.
    func permits(_ grant: Grant, _ client: ClientIdentity, toWatch path: String, since former: AccessPolicy?) -> Bool {
        // Without a policy, every client may watch.
        authenticator(for: client)?.admits(grant, toWatch: path, since: former) ?? true
    }

    /// The value of `Set-Cookie` with which a session of this user begins; `nil` if there is no such user.
    func sessionCookie(of user: String, _ client: ClientIdentity) -> String? {
        let seconds = context.options.sessionSeconds
        guard let token = token(for: .session, of: user, client: client, lastingSeconds: seconds) else { return nil }
        return Self.cookie(token, lastingSeconds: seconds, client.security)
    }

    /// The value of `Set-Cookie` (RFC 6265bis): for this host alone, not for scripts, and not with requests of pages of other servers.
    static func cookie(_ token: String, lastingSeconds seconds: Int, _ security: ConnectionSecurity) -> String {
        let value = "\(cookieName(security))=\(token); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
        return security == .tls ? value + "; Secure" : value
    }

    /// How long the answer to a wrong password is delayed, in milliseconds.
    var guessDelayMilliseconds: Int { authenticator?.value.policy.guessing.delayMilliseconds ?? 0 }
}

extension AccessControl {
    private func authenticator(for client: ClientIdentity) -> Authenticator? {
        let (policy, version) = context.services.access
        guard let policy else { return nil }
        if let authenticator, authenticator.client == client {
            if authenticator.version == version { return authenticator.value }
            self.authenticator = (client, version, authenticator.value.applying(policy))
        } else {
            let fresh = Authenticator(
                policy, lockOut: context.services.lockOut, peer: client.endpoint, security: client.security,
                nonces: context.nonces, guarding: [.publish, .control])
            authenticator = (client, version, fresh)
        }
        return authenticator?.value
    }

    /// Without a policy, there are no users: every client may watch, and a client on this host may read the status.
    private func withoutPolicy(_ question: Question) -> Outcome {
        switch question.right {
        case .read: return .granted(.everything)
        case .status where question.client.endpoint.isLoopback: return .granted(.everything)
        case .status, .publish, .control:
            let problem = Problem(.forbidden, "this needs a user with the right to it; see the option users")
            return .refused(problem, .noCredentials(.tracks))
        }
    }

    private func outcome(
        of question: Question, by authenticator: inout Authenticator, at now: MonotonicTime
    ) throws(AccessFailure) -> Outcome {
        var authorization = question.headers["Authorization"]
        // With a token, a client cannot get another one.
        if let token = question.target.query["token"], question.right == .read, let path = question.path,
            question.isPlayback
        {
            return .granted(
                try authenticator.authorise(
                    .read, path, by: token, of: context.tokens, for: .watching(path), at: "", at: now))
        }
        if authorization.count == 1, question.client.security == .tls, let token = Self.bearer(authorization[0]) {
            let login = token.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard login.count == 2 else {
                return .granted(try authorise(question, bySession: token, &authenticator, at: now))
            }
            // OBS has a field for a token, and none for a user. MediaMTX takes both in it, too.
            authorization = [Authorization.basicHeaderValue(user: String(login[0]), password: String(login[1]))]
        }
        if authorization.isEmpty {
            let cookies = Cookies(question.headers["Cookie"]).values(of: Self.cookieName(question.client.security))
            for cookie in cookies {
                if let grant = try session(cookie, question, &authenticator, at: now) { return .granted(grant) }
            }
        }
        let request = Authenticator.AuthorisationRequest(
            method: question.method, target: question.target.text, authorization: authorization,
            userAgent: question.headers.first(name: "User-Agent") ?? "",
            query: String(question.target.text.drop { $0 != "?" }.dropFirst()), path: question.path,
            right: question.right)
        switch try authenticator.authorise(request, at: now) {
        case .granted(let grant): return .granted(grant)
        case .needsExternalDecision(let request): return .undecided(request)
        }
    }

    /// The grant of a session's cookie; `nil` if the session has ended, so that the client is asked for its password again.
    private func session(
        _ cookie: String, _ question: Question, _ authenticator: inout Authenticator, at now: MonotonicTime
    ) throws(AccessFailure) -> Grant? {
        do throws(AccessFailure) {
            return try authorise(question, bySession: cookie, &authenticator, at: now)
        } catch .invalidToken {
            return nil
        }
    }

    private func authorise(
        _ question: Question, bySession token: String, _ authenticator: inout Authenticator, at now: MonotonicTime
    ) throws(AccessFailure) -> Grant {
        try authenticator.authorise(
            question.right, question.path ?? "/", by: token, of: context.tokens, for: .session,
            at: Self.place(of: question.client), at: now)
    }

    /// A session without TLS is bound to the client's address, because others can read its cookie.
    private static func place(of client: ClientIdentity) -> String {
        client.security == .tls ? "tls" : "clear \(client.endpoint.address)"
    }

    private static func bearer(_ authorization: String) -> String? {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingPrefix { $0 == " " }.isEmpty ? nil : String(parts[1])
    }

    private func refuse(
        _ question: Question, because failure: AccessFailure, _ authenticator: inout Authenticator,
        at now: MonotonicTime
    ) -> Outcome {
        let address = question.client.endpoint.address
        if failure.countsAsGuess {
            let credentials = question.headers.first(name: "Authorization")
            if credentials != countedGuess, authenticator.countGuess(at: now) {
                context.log.log(
                    .lockOut, .warning, "address locked out: too many wrong passwords", peer: address)
            }
            countedGuess = credentials
        }
        let detail =
            switch failure {
            // What an unknown user, a wrong password and a path without permission have in common.
            case .lockedOut: "too many wrong passwords from this address; try again later"
            case .address: "this address may not connect"
            case .invalidToken: "\(failure)"
            case .noHashFunctions: "the server cannot check passwords"
            default: "a user and a password with the right to this are needed"
            }
        return .refused(Problem(authenticator.refusal(failure, at: now), detail: detail), failure)
    }
}
