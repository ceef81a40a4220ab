import Media
import SDP
import TestSupport
import Testing

@testable import RTSP

/// What is different if a client authenticates over HTTP.
struct HTTPAccessTests {
    private static let nonces = ServerNonces(random: RandomNumbers(seed: 1).next)
    private static let now = MonotonicTime(nanoseconds: 5_000_000_000)

    private static func policy(loopback: AccessPolicy.Loopback = .asOthers, open: Set<Right> = []) throws
        -> AccessPolicy
    {
        let all = [try #require(PathPattern("*"))]
        let user = AccessPolicy.User(name: "ann", secret: .password("sesame"), rights: [.read: all, .status: all])
        return AccessPolicy(
            realm: "Apus", users: [user], loopback: loopback, openRights: open, hashes: { .real },
            random: RandomNumbers(seed: 2).next)
    }

    private static func authenticator(_ policy: AccessPolicy, isLoopback: Bool = false) -> Authenticator {
        let address = isLoopback ? "127.0.0.1" : "192.0.2.7"
        return Authenticator(
            policy, lockOut: LockOut(), peer: Endpoint(address: address, isLoopback: isLoopback), security: .clear,
            nonces: nonces, guarding: [.publish, .control])
    }

    private static func request(
        _ right: Right = .read, _ target: String = "/cam/index.mp4", authorization: [String] = []
    ) -> Authenticator.AuthorisationRequest {
        .init(
            method: "GET", target: target, authorization: authorization, userAgent: "curl/8", query: "", path: "/cam",
            right: right)
    }

    private static func user(
        _ request: Authenticator.AuthorisationRequest, of authenticator: inout Authenticator
    ) -> Result<String?, AccessFailure> {
        Result { () throws(AccessFailure) in
            guard case .granted(let grant) = try authenticator.authorise(request, at: now) else { return "undecided" }
            return grant.user
        }
    }

    private static func authorization(
        answering challenge: DigestChallenge, uri: String = "/cam/index.mp4", count: String? = "00000001"
    ) -> String {
        DigestCredentials(
            answering: challenge, user: "ann", password: "sesame", method: Method(rawValue: "GET"), uri: uri,
            protection: count.flatMap { .init(countDigits: $0, clientNonce: "c") }, hashes: .real
        ).headerValue
    }

    private static func challenge(
        of authenticator: inout Authenticator, after failure: AccessFailure = .noCredentials(.tracks)
    ) throws -> DigestChallenge {
        let refusal = authenticator.refusal(failure, at: now)
        let text = try #require(refusal.headers[.wwwAuthenticate])
        let match = try #require(
            text.wholeMatch(of: /Digest realm="Apus", nonce="([^"]*)"(, stale=true)?, qop="auth"/))
        return DigestChallenge(realm: "Apus", nonce: String(match.1), isStale: match.2 != nil)
    }

    @Test func credentialsAreValidOnAllConnectionsOfAnAddress() throws {
        let policy = try Self.policy()
        var first = Self.authenticator(policy)
        #expect(Self.user(Self.request(), of: &first) == .failure(.noCredentials(.tracks)))
        let challenge = try Self.challenge(of: &first)
        var second = Self.authenticator(policy)
        let request = Self.request(authorization: [Self.authorization(answering: challenge)])
        #expect(Self.user(request, of: &second) == .success("ann"))
        #expect(Self.user(request, of: &first) == .failure(.staleNonce), "a replay")
        #expect(try Self.challenge(of: &first, after: .staleNonce).isStale)
    }

    @Test func credentialsMustNameTheTargetAndCountTheRequest() throws {
        var authenticator = Self.authenticator(try Self.policy())
        let challenge = try Self.challenge(of: &authenticator)
        let other = Self.authorization(answering: challenge, uri: "/cam/index.mp4?audio=0")
        #expect(
            Self.user(Self.request(authorization: [other]), of: &authenticator) == .failure(.unusableCredentials))
        let uncounted = Self.authorization(answering: challenge, count: nil)
        #expect(
            Self.user(Self.request(authorization: [uncounted]), of: &authenticator) == .failure(.unusableCredentials))
    }

    @Test func changesNeedAPasswordEverywhere() throws {
        var here = Self.authenticator(
            try Self.policy(loopback: .freeToPublish, open: [.read, .control]), isLoopback: true)
        #expect(Self.user(Self.request(.read), of: &here) == .success(nil))
        #expect(Self.user(Self.request(.status), of: &here) == .success(nil))
        #expect(Self.user(Self.request(.control), of: &here) == .failure(.noCredentials(.tracks)))
        #expect(Self.user(Self.request(.publish), of: &here) == .failure(.noCredentials(.tracks)))
    }

    @Test func theStatusIsNotOpenToOtherHosts() throws {
        var there = Self.authenticator(try Self.policy(open: [.read, .control]))
        #expect(Self.user(Self.request(.read), of: &there) == .success(nil))
        #expect(Self.user(Self.request(.status), of: &there) == .failure(.noCredentials(.tracks)))
        let numbers = RandomNumbers(seed: 1)
        let nobody = AccessPolicy(realm: "Apus", users: [], hashes: { .real }, random: numbers.next)
        var stranger = Self.authenticator(nobody)
        #expect(Self.user(Self.request(.status), of: &stranger) == .failure(.noCredentials(.tracks)))
        var here = Self.authenticator(nobody, isLoopback: true)
        #expect(Self.user(Self.request(.status), of: &here) == .success(nil))
    }

    @Test func theExternalServiceIsToldTheProtocol() throws {
        let policy = AccessPolicy(realm: "Apus", users: [], exemptPaths: [], hashes: { nil }, random: { 7 })
        var authenticator = Self.authenticator(policy)
        guard case .needsExternalDecision(let question) = try authenticator.authorise(Self.request(), at: Self.now)
        else { return #expect(Bool(false), "not asked") }
        #expect(question.application == .http && question.path == "cam" && question.userAgent == "curl/8")
    }
}
