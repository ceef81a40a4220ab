import Media
import RTMP
import RTSP
import Reactor

/// What the client of one connection may do: the same users, rights, address lists and wrong passwords as over RTSP. Confined to the loop.
///
/// A client presents a user and a password in the query of its URL, or it answers a challenge when it connects.
final class ConnectionAccess {
    /// The answer to `connect`.
    enum Admission {
        case accepted
        /// - Parameter failure: why, for the log; `nil` if the client was only asked for credentials.
        case rejected(ConnectRejection, AccessFailure?)
    }

    enum Outcome {
        case granted(Grant)
        /// The external service must decide; then call ``decided(_:about:)``.
        case undecided(ExternalAuthorisationRequest)
        case refused(AccessFailure)
    }

    private let context: ServerContext
    private let endpoint: Endpoint
    private let security: ConnectionSecurity
    private var authenticator: (version: UInt64, value: Authenticator)?
    /// What the client has proved when it connected.
    private var proof: Authenticator.Login?
    /// The policy by which the client was last granted something.
    private var former: AccessPolicy?

    init(_ context: ServerContext, _ endpoint: Endpoint, _ security: ConnectionSecurity) {
        (self.context, self.endpoint, self.security) = (context, endpoint, security)
    }

    /// How long the answer to a wrong password is delayed, in milliseconds.
    var guessDelayMilliseconds: Int { authenticator?.value.policy.guessing.delayMilliseconds ?? 0 }

    // MARK: Connecting

    func admission(of request: ConnectRequest, at now: MonotonicTime) -> Admission {
        guard var authenticator = currentAuthenticator else { return .accepted }
        defer { self.authenticator?.value = authenticator }
        let policy = authenticator.policy
        guard policy.addresses.admits(IPAddress(endpoint.address)) else {
            return .rejected(.other("this address may not connect"), .address)
        }
        do throws(AccessFailure) {
            switch request.credentials {
            case .user(let user): return .rejected(try challenge(user, policy, &authenticator, at: now), nil)
            case .response(let response):
                guard let hashes = policy.hashes else { throw .noHashFunctions }
                guard context.challenges.admits(response.challenge, from: endpoint.address, at: now, hashes) else {
                    return .rejected(try challenge(response.user, policy, &authenticator, at: now), nil)
                }
                let login = context.challenges.login(response, hashes)
                try authenticator.verify(login, at: now)
                proof = login
                return .accepted
            case nil:
                guard needsChallenge(request, policy) else { return .accepted }
                return .rejected(.needsCredentials, nil)
            }
        } catch {
            return .rejected(error.isLockOut ? .other(error.text) : .wrongCredentials, error)
        }
    }

    private func challenge(
        _ user: String, _ policy: AccessPolicy, _ authenticator: inout Authenticator, at now: MonotonicTime
    ) throws(AccessFailure) -> ConnectRejection {
        try authenticator.requireNotLockedOut(at: now)
        guard let hashes = policy.hashes else { throw .noHashFunctions }
        return .challenge(
            user: user, salt: context.challenges.salt,
            challenge: context.challenges.text(for: endpoint.address, at: now, hashes))
    }

    /// Whether a client without credentials in its application is asked for them. Only the name of its stream, which comes later, could
    /// have a query.
    private func needsChallenge(_ request: ConnectRequest, _ policy: AccessPolicy) -> Bool {
        guard request.address.parameter("user") == nil, !policy.asksExternally else { return false }
        // Encoders call themselves so; players call themselves after a player of Adobe.
        let isEncoder = request.parameters.flashVersion.hasPrefix("FMLE")
        guard policy.requiresAuthentication(of: endpoint, for: isEncoder ? .publish : .read) else { return false }
        switch context.options.challenge {
        case .never: return false
        case .always: return true
        case .auto:
            return request.address.decodedPath.flatMap { context.services.path(at: $0) }?.stream.path
                == request.address.decodedPath
        }
    }

    // MARK: Publishing and playing

    /// Whether the client may do what it asks for.
    func authorise(
        _ right: Right, _ path: String, _ address: StreamAddress, userAgent: String, at now: MonotonicTime
    ) -> Outcome {
        // Without a policy, every client may do everything.
        guard var authenticator = currentAuthenticator else { return .granted(.everything) }
        defer { self.authenticator?.value = authenticator }
        let request = Authenticator.AuthorisationRequest(
            rtmp: right, path: path, login: login(address), userAgent: userAgent, query: address.query)
        do throws(AccessFailure) {
            switch try authenticator.authorise(request, at: now) {
            case .granted(let grant):
                former = authenticator.policy
                return .granted(grant)
            case .needsExternalDecision(let question): return .undecided(question)
            }
        } catch {
            return .refused(error)
        }
    }

    private func login(_ address: StreamAddress) -> Authenticator.Login? {
        guard let user = address.parameter("user") else { return proof }
        // The names of MediaMTX; Larix and others have `password`.
        let password = address.parameter("pass") ?? address.parameter("password") ?? ""
        return .password(UserInformation(encodedUser: user, password: password))
    }

    /// The external service has decided.
    func decided(_ decision: AccessDecision, about request: ExternalAuthorisationRequest) -> Outcome? {
        switch decision {
        case .admitted:
            guard var authenticator = currentAuthenticator else { return nil }
            defer { self.authenticator?.value = authenticator }
            former = authenticator.policy
            return .granted(authenticator.admit(request))
        case .refused: return .refused(.deniedExternally(countsAsGuess: !request.user.isEmpty))
        case .unavailable, .tooManyWaiting: return nil
        }
    }

    /// Counts a wrong password; true if it locks the address out.
    func countGuess(_ failure: AccessFailure, at now: MonotonicTime) -> Bool {
        guard failure.countsAsGuess, let authenticator = currentAuthenticator else { return false }
        return authenticator.countGuess(at: now)
    }

    /// Whether what was granted is still permitted.
    func permits(_ grant: Grant, _ right: Right, _ path: String) -> Bool {
        // Without a policy, every client may do everything.
        currentAuthenticator?.admits(grant, right, path, since: former) ?? true
    }

    private var currentAuthenticator: Authenticator? {
        let (policy, version) = context.services.access
        guard let policy else { return nil }
        if let authenticator {
            if authenticator.version == version { return authenticator.value }
            self.authenticator = (version, authenticator.value.applying(policy))
        } else {
            authenticator = (
                version, Authenticator(policy, lockOut: context.services.lockOut, peer: endpoint, security: security)
            )
        }
        return authenticator?.value
    }
}

extension AccessFailure {
    var isLockOut: Bool { if case .lockedOut = self { true } else { false } }

    /// What the client is told. An unknown user, a wrong password and a path without permission have the same text.
    var text: String {
        switch self {
        case .lockedOut: "too many wrong passwords from this address; try again later"
        case .address: "this address may not connect"
        case .noHashFunctions: "the server cannot check passwords"
        case .noCredentials: "a user and a password are needed: add ?user=USER&pass=PASSWORD"
        default: "a user and a password with the right to this are needed"
        }
    }
}

extension StreamAddress {
    /// The path without percent encoding; `nil` if the encoding is invalid.
    var decodedPath: String? { RequestURL.decodedPath(path[...]) }
}
