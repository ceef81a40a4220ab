import Media
import SDP
import Testing

@testable import RTSP

/// A client with a password, and servers that require one.
struct ClientLoginTests {
    private func login(_ authority: String = "ann:sesame") throws -> ClientLogin {
        let url = try #require(RequestURL("rtsp://\(authority)@h/cam"))
        let numbers = RandomNumbers(seed: 5)
        return ClientLogin(try #require(url.userInformation), hashes: .real, random: numbers.next)
    }

    private func unauthorized(_ challenges: String...) -> Response {
        var response = Response(.unauthorized)
        for challenge in challenges { response.headers.append(.wwwAuthenticate, challenge) }
        return response
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func credentialsAreSentOnlyAfterAChallenge(_ algorithm: DigestAlgorithm) throws {
        var pair = BackToBack(access: .test(algorithm, nonceSeconds: 90), login: try login())
        pair.play()
        #expect(pair.client.phase == .playing)
        #expect(pair.refusals == [.noCredentials(.tracks)])
        // Keepalives continue when the nonce has expired.
        for _ in 0..<20 { pair.advance(seconds: 30) }
        #expect(pair.client.phase == .playing && pair.tornDown.isEmpty)
        #expect(Set(pair.refusals) == [.noCredentials(.tracks), .staleNonce])
        pair.client.tearDown(at: pair.now)
        pair.settle()
        #expect(pair.tornDown.count == 1)
    }

    @Test(arguments: ["ann:guess", "zoe:sesame", "ann", "bob:garden"])
    func wrongCredentialsAreTriedOnce(authority: String) throws {
        var pair = BackToBack(access: .test(), login: try login(authority))
        pair.play()
        #expect(pair.clientActions.last == .close(.wrongPassword(.describe)))
        #expect(pair.refusals.count == 2)
    }

    @Test func withoutAPasswordTheErrorAsksForOne() throws {
        var pair = BackToBack(access: .test())
        pair.play()
        #expect(pair.clientActions.last == .close(.passwordRequired(.describe)))
    }

    @Test func anUnsentPasswordIsNotReportedAsWrong() throws {
        var client = ClientConnection(url: try #require(RequestURL("rtsp://h/cam")), login: try login())
        let now = MonotonicTime(nanoseconds: 0)
        client.connected(at: now)
        client.received(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n".utf8).rawSpan, at: now)
        let challenge = "RTSP/1.0 401 No\r\nCSeq: 2\r\nWWW-Authenticate: Negotiate\r\n\r\n"
        client.received(Array(challenge.utf8).rawSpan, at: now)
        var last: ClientAction?
        while let action = client.nextAction() { last = action }
        #expect(last == .close(.refused(.describe, .unauthorized, reason: "No")))
    }

    /// The example of RFC 2617, section 3.5, with another client nonce.
    @Test func aChallengeWithQOPIsAnsweredWithARequestCount() throws {
        var login = try login("Mufasa:Circle%20Of%20Life")
        let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
        let isAsked = login.handleChallenge(
            in: unauthorized(
                "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", nonce=\"\(nonce)\", opaque=\"5ccc\""))
        #expect(isAsked)
        for count in 1...3 as ClosedRange<UInt32> {
            let authorization = login.authorization(for: .describe, "/dir/index.html")
            let value = try #require(authorization)
            guard case .digest(let credentials)? = Authorization(value) else { return #expect(Bool(false), "\(value)") }
            #expect(value.hasSuffix(", opaque=\"5ccc\""))
            #expect(credentials.user == "Mufasa" && credentials.nonce == nonce)
            #expect(credentials.protection?.count == count && credentials.protection?.clientNonce.isEmpty == false)
            let secret = HashFunctions.real.digestSecret(
                .md5, user: "Mufasa", realm: "testrealm@host.com", password: "Circle Of Life")
            #expect(credentials.response == credentials.response(secret: secret, method: .describe, .real))
        }
    }

    @Test func digestIsPreferredToBasic() throws {
        let (digest, password) = ("Digest realm=\"a\", nonce=\"b\"", "Basic realm=\"a\"")
        #expect(try answer(to: password, digest)?.hasPrefix("Digest ") == true)
        #expect(try answer(to: password) == "Basic YW5uOnNlc2FtZQ==")
    }

    @Test func theStoredDigestSecretIsEnoughToLogIn() throws {
        let secret = HashFunctions.real.digestSecret(.md5, user: "ann", realm: "Apus", password: "sesame")
        for (kept, plays) in [
            (AccessPolicy.Secret.digest(secret), true), (.password("sesame"), true),
            (.salted(salt: [], key: []), false),
        ] {
            let numbers = RandomNumbers(seed: 5)
            let login = ClientLogin(user: "ann", secret: kept, hashes: .real, random: numbers.next)
            var pair = BackToBack(access: .test(), login: login)
            pair.play()
            #expect((pair.client.phase == .playing) == plays)
        }
    }

    @Test func refusedCredentialsAreNotRepeated() throws {
        for challenge in ["Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"b\""] {
            var login = try login()
            let isAsked = (0..<2).map { _ in login.handleChallenge(in: unauthorized(challenge)) }
            #expect(isAsked == [true, false])
        }
    }

    /// The client's `Authorization` header for a server's challenges.
    private func answer(to challenges: String...) throws -> String? {
        var login = try login()
        var response = Response(.unauthorized)
        for challenge in challenges { response.headers.append(.wwwAuthenticate, challenge) }
        guard login.handleChallenge(in: response) else { return nil }
        return login.authorization(for: .describe, "rtsp://h/cam")
    }

    @Test(arguments: [
        "", "Digest", "Digest nonce=\"a\"", "Digest realm=\"a\", nonce=\"b\", algorithm=SHA-512-256",
        "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\"", "Bearer", "NTLM abc", "Digest realm=\"a",
    ])
    func unsupportedChallengesAreNotAnswered(challenge: String) throws {
        #expect(try answer(to: challenge) == nil)
    }
}
