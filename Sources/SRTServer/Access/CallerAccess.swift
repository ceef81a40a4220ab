import Media
import RTSP
import Reactor
import SRT

/// What one caller may do: the same users, rights, address lists and wrong passwords as over RTSP.
///
/// A caller presents a user and a password in its stream id, which nothing encrypts.
struct CallerAccess {
    private let services: any SRTSharedServices
    private let peer: SocketAddress
    /// `nil` without a policy: every client may do everything.
    private(set) var authenticator: Authenticator?

    init(_ services: any SRTSharedServices, of peer: SocketAddress) {
        (self.services, self.peer) = (services, peer)
        authenticator = services.access.policy.map { Self.authenticator($0, services, peer) }
    }

    private static func authenticator(
        _ policy: AccessPolicy, _ services: any SRTSharedServices, _ peer: SocketAddress
    ) -> Authenticator {
        Authenticator(
            policy, lockOut: services.lockOut, peer: Endpoint(address: peer.host, isLoopback: peer.isLoopback),
            security: .clear)
    }

    /// Whether the caller may do what it asks for.
    mutating func authorise(
        _ right: Right, _ path: String, _ id: SRTStreamID, at now: MonotonicTime
    ) throws(HandshakeRefusal) -> Handshake.Access {
        guard var authenticator else { return .granted(.everything) }
        defer { self.authenticator = authenticator }
        let login = id.user.map { Authenticator.Login.password(UserInformation(user: $0, password: id.password ?? "")) }
        let request = Authenticator.AuthorisationRequest(srt: right, path: path, login: login, query: id.query)
        do throws(AccessFailure) {
            switch try authenticator.authorise(request, at: now) {
            case .granted(let grant): return .granted(grant)
            case .needsExternalDecision(let question): return .undecided(question)
            }
        } catch {
            let isLockedOut = error.countsAsGuess && authenticator.countGuess(at: now)
            throw refusal(error, path, isLockedOut)
        }
    }

    private func refusal(_ failure: AccessFailure, _ path: String, _ isLockedOut: Bool) -> HandshakeRefusal {
        if isLockedOut { return HandshakeRefusal(.locked, .lockOut, "too many wrong passwords", path: path) }
        switch failure {
        case .lockedOut: return HandshakeRefusal(.locked, .lockOut, "\(failure)", path: path)
        case .address: return HandshakeRefusal(.forbidden, .refusedAccess, "\(failure)", path: path)
        case .noCredentials:
            let reason = "the client sent no user and password: add u=USER,s=PASSWORD to its stream id"
            return HandshakeRefusal(.unauthorized, .refusedAccess, reason, path: path)
        // An unknown user, a wrong password and a forbidden path have the same code.
        default: return HandshakeRefusal(.unauthorized, .refusedAccess, "\(failure)", path: path)
        }
    }

    // MARK: Passphrases

    /// Refuses an address that has sent too many wrong passwords or passphrases.
    func requireNotLockedOut(at now: MonotonicTime) throws(HandshakeRefusal) {
        let origin = authenticator ?? Self.authenticator(.withoutUsers, services, peer)
        do throws(AccessFailure) {
            try origin.requireNotLockedOut(at: now)
        } catch {
            throw HandshakeRefusal(.locked, .lockOut, "\(error)")
        }
    }

    /// Counts a wrong passphrase; true if it locks the address out.
    func countGuess(at now: MonotonicTime) -> Bool {
        (authenticator ?? Self.authenticator(.withoutUsers, services, peer)).countGuess(at: now)
    }
}

extension AccessPolicy {
    /// Only its limits on guesses are used.
    fileprivate static let withoutUsers = AccessPolicy(realm: "", users: [], hashes: { nil }, random: { 0 })
}
