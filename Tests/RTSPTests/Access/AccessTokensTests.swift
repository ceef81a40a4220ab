import Media
import TestSupport
import Testing

@testable import RTSP

/// Texts by which a client proves that it has authenticated before.
struct AccessTokensTests {
    private static let tokens = AccessTokens(random: RandomNumbers(seed: 1).next)
    private static let now = MonotonicTime(nanoseconds: 5_000_000_000)
    private static let end = now.advanced(byMilliseconds: 60_000)

    private static func policy(_ password: String = "sesame", denied: [AddressBlock] = []) throws -> AccessPolicy {
        let users = [
            AccessPolicy.User(
                name: "ann", secret: .password(password), addresses: AddressRules(denied: denied),
                rights: [.read: [try #require(PathPattern("yard/*"))], .control: [try #require(PathPattern("*"))]])
        ]
        return AccessPolicy(
            realm: "Apus", users: users, hashes: { .real }, random: RandomNumbers(seed: 2).next)
    }

    private static func authenticator(_ policy: AccessPolicy) -> Authenticator {
        Authenticator(
            policy, lockOut: LockOut(), peer: Endpoint(address: "192.0.2.7", isLoopback: false), security: .clear)
    }

    private static func token(
        _ purpose: AccessTokens.Purpose = .session, of user: String = "ann", in policy: AccessPolicy
    ) throws -> String? {
        try authenticator(policy).token(from: tokens, for: purpose, of: user, at: "place", until: end)
    }

    private static func outcome(
        _ text: String, _ right: Right = .read, _ path: String? = "/yard/cam", in policy: AccessPolicy,
        for purpose: AccessTokens.Purpose = .session, at place: String = "place", now: MonotonicTime = now,
        of tokens: AccessTokens = tokens
    ) -> Result<String?, AccessFailure> {
        var authenticator = authenticator(policy)
        return Result { () throws(AccessFailure) in
            try authenticator.authorise(right, path, by: text, of: tokens, for: purpose, at: place, at: now).user
        }
    }

    @Test func aSessionHasTheRightsOfItsUser() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(in: policy))
        #expect(Self.outcome(token, in: policy) == .success("ann"))
        #expect(Self.outcome(token, .control, "/cam", in: policy) == .success("ann"))
        #expect(Self.outcome(token, .read, "/cam", in: policy) == .failure(.notPermitted(user: "ann")))
        #expect(Self.outcome(token, .control, nil, in: policy) == .success("ann"), "the right to all paths")
        #expect(Self.outcome(token, .status, nil, in: policy) == .failure(.notPermitted(user: "ann")))
        #expect(Self.outcome(token, .publish, in: policy) == .failure(.notPermitted(user: "ann")))
    }

    @Test func aTokenForOnePathOnlyWatchesThatPath() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(.watching("/yard/cam"), in: policy))
        #expect(Self.outcome(token, in: policy, for: .watching("/yard/cam")) == .success("ann"))
        #expect(
            Self.outcome(token, .control, in: policy, for: .watching("/yard/cam"))
                == .failure(.notPermitted(user: "ann")))
        #expect(
            Self.outcome(token, .read, "/yard/b", in: policy, for: .watching("/yard/b")) == .failure(.invalidToken))
        #expect(Self.outcome(token, in: policy) == .failure(.invalidToken), "it is no session")
        let session = try #require(try Self.token(in: policy))
        #expect(Self.outcome(session, in: policy, for: .watching("/yard/cam")) == .failure(.invalidToken))
    }

    @Test func theGrantOfATokenForOnePathHasNoOtherPathsAndRights() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(.watching("/yard/cam"), in: policy))
        var authenticator = Self.authenticator(policy)
        let grant = try authenticator.authorise(
            .read, "/yard/cam", by: token, of: Self.tokens, for: .watching("/yard/cam"), at: "place", at: Self.now)
        #expect(grant.user == "ann" && grant.admits(.read, "/yard/cam"))
        #expect(!grant.admits(.read, "/yard/b") && !grant.admits(.control, "/yard/cam"))
        #expect(!grant.admits(.status, nil) && !grant.admits(.control, nil))
    }

    @Test func aTokenForAPathThatItsUserMayNotWatchIsRefused() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(.watching("/cam"), in: policy))
        #expect(
            Self.outcome(token, .read, "/cam", in: policy, for: .watching("/cam"))
                == .failure(.notPermitted(user: "ann")))
    }

    @Test func aTokenEndsWithTimePlaceAndPassword() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(in: policy))
        #expect(Self.outcome(token, in: policy, now: Self.end) == .failure(.invalidToken))
        #expect(Self.outcome(token, in: policy, at: "elsewhere") == .failure(.invalidToken))
        #expect(Self.outcome(token, in: try Self.policy("another")) == .failure(.invalidToken))
        #expect(Self.outcome(token, in: try Self.policy()) == .success("ann"), "a new policy with the same password")
        let restarted = AccessTokens(random: RandomNumbers(seed: 3).next)
        #expect(Self.outcome(token, in: policy, of: restarted) == .failure(.invalidToken))
        let denied = try Self.policy(denied: [try #require(AddressBlock("192.0.2.0/24"))])
        #expect(Self.outcome(token, in: denied) == .failure(.notPermitted(user: "ann")))
    }

    @Test func aStoredHashIsAsGoodAsThePassword() throws {
        let token = try #require(try Self.token(in: try Self.policy()))
        let digest = HashFunctions.real.digestSecret(.md5, user: "ann", realm: "Apus", password: "sesame")
        let user = AccessPolicy.User(
            name: "ann", secret: .digest(digest.uppercased()), rights: [.read: [try #require(PathPattern("*"))]])
        let policy = AccessPolicy(realm: "Apus", users: [user], hashes: { .real }, random: RandomNumbers(seed: 5).next)
        #expect(Self.outcome(token, in: policy) == .success("ann"))
        let salted = AccessPolicy.User(
            name: "ann", secret: .salted(salt: [1], key: [2]), rights: [.read: [try #require(PathPattern("*"))]])
        let other = AccessPolicy(realm: "Apus", users: [salted], hashes: { .real }, random: RandomNumbers(seed: 5).next)
        #expect(Self.outcome(token, in: other) == .failure(.invalidToken))
        let own = try #require(try Self.token(in: other))
        #expect(Self.outcome(own, in: other) == .success("ann"))
    }

    @Test func noOtherTextIsAToken() throws {
        let policy = try Self.policy()
        let token = try #require(try Self.token(in: policy))
        for index in token.indices {
            let other =
                String(token[..<index]) + (token[index] == "0" ? "1" : "0") + token[token.index(after: index)...]
            #expect(Self.outcome(other, in: policy) == .failure(.invalidToken), "\(other)")
            #expect(Self.outcome(String(token[..<index]), in: policy) == .failure(.invalidToken))
        }
        #expect(Self.outcome(token + "0", in: policy) == .failure(.invalidToken))
        #expect(Self.outcome(String(repeating: "0", count: 300), in: policy) == .failure(.invalidToken))
        #expect(try Self.token(of: "bob", in: policy) == nil)
    }

    /// RFC 4231, section 4: test cases 2 and 6.
    @Test func authenticationCodesAreHMAC() {
        func code(_ key: [UInt8], _ text: String) -> String {
            Digits.hexadecimal(of: HashFunctions.real.authenticationCode(of: Array(text.utf8), key: key))
        }
        #expect(
            code(Array("Jefe".utf8), "what do ya want for nothing?")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            code([UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First")
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
