import Media
import SDP
import TestSupport
import Testing

@testable import RTSP

/// Authentication and authorisation of requests. Refused clients learn nothing about users and paths.
struct AccessTests {
    static let transport: Headers = [.transport: "RTP/AVP/TCP;unicast"]

    /// A challenge on the connection of `dialogue`.
    private func challenge(_ dialogue: inout Dialogue) throws -> DigestChallenge {
        try #require(DigestChallenge(dialogue.ask(.describe)))
    }

    @Test func onlyOptionsIsAnsweredWithoutCredentials() {
        for method in ["DESCRIBE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "GET_PARAMETER", "ANNOUNCE", "RECORD", "EAT"] {
            for url in [Dialogue.url, "rtsp://h/none", "*", "nonsense", "/", "rtsp://h/%00"] {
                var dialogue = Dialogue(access: .test())
                let response = dialogue.ask(RTSP.Method(rawValue: method), url, [.require: "x", .session: "1"])
                #expect(response?.status == .unauthorized, "\(method) \(url)")
                #expect(DigestChallenge(response)?.realm == "Apus")
                #expect(dialogue.accessFailures.count == 1 && dialogue.orders.count == 1)
                #expect(dialogue.ask(.options, url == "*" ? url : Dialogue.url)?.status == .ok)
            }
        }
    }

    @Test func aWholeSessionWorksWithThePassword() throws {
        for algorithm in DigestAlgorithm.allCases {
            var dialogue = Dialogue(access: .test(algorithm))
            let challenge = try challenge(&dialogue)
            #expect(challenge.algorithm == algorithm)
            let isCounted = algorithm == .sha256
            func ask(_ method: RTSP.Method, _ url: String, _ headers: Headers, count: UInt32) -> Response? {
                dialogue.ask(
                    method, url, headers, as: "ann", password: "sesame", answering: challenge,
                    count: isCounted ? count : nil)
            }
            #expect(ask(.describe, Dialogue.url, [:], count: 1)?.status == .ok)
            let setUp = ask(.setUp, Dialogue.url + "/track1", Self.transport, count: 2)
            let session = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
            for (index, method) in [RTSP.Method.play, .getParameter, .pause, .tearDown].enumerated() {
                let response = ask(method, Dialogue.url, [.session: session.text], count: UInt32(3 + index))
                #expect(response?.status == .ok, "\(method.rawValue)")
            }
        }
    }

    /// live555 names the stream in SETUP; others send only the path, or an additional slash.
    @Test(arguments: [
        ("\(Dialogue.url)/track1", true), (Dialogue.url, true), ("\(Dialogue.url)/", true), ("/cam", true),
        ("/cam/track2", true), ("rtsp://other/cam", true), ("rtsp://h/other", false), ("/", false), ("", false),
        ("*", false), ("nonsense", false),
    ])
    func credentialsAreValidForOneStream(uri: String, isAdmitted: Bool) throws {
        var dialogue = Dialogue(access: .test())
        let challenge = try challenge(&dialogue)
        let response = dialogue.ask(
            .setUp, Dialogue.url + "/track1", Self.transport, as: "ann", password: "sesame", answering: challenge,
            uri: uri)
        #expect(response?.status == (isAdmitted ? .ok : .unauthorized))
    }

    /// Credentials that are correct except for their realm or algorithm.
    @Test(arguments: [("Apus", "MD5", true), ("Other", "MD5", false), ("Apus", "SHA-256", false)])
    func credentialsForAnotherRealmOrAlgorithmAreRefused(realm: String, algorithm: String, isAdmitted: Bool) throws {
        var dialogue = Dialogue(access: .test())
        let nonce = try challenge(&dialogue).nonce
        let hash = try #require(DigestAlgorithm(named: algorithm))
        let secret = HashFunctions.real.digestSecret(.md5, user: "ann", realm: "Apus", password: "sesame")
        let question = HashFunctions.real.digits(hash, of: "DESCRIBE", Dialogue.url)
        let text = """
            Digest username="ann", realm="\(realm)", nonce="\(nonce)", uri="\(Dialogue.url)", \
            algorithm=\(algorithm), response="\(HashFunctions.real.digits(hash, of: secret, nonce, question))"
            """
        let response = dialogue.ask(.describe, Dialogue.url, [.authorization: text])
        #expect(response?.status == (isAdmitted ? .ok : .unauthorized))
    }

    @Test(arguments: [("192.0.2.0/24", true), ("10.0.0.0/8", false)])
    func usersMayConnectOnlyFromTheirAddresses(block: String, isAdmitted: Bool) throws {
        let numbers = RandomNumbers(seed: 1)
        let user = AccessPolicy.User(
            name: "ann", secret: .password("sesame"),
            addresses: AddressRules(allowed: [try #require(AddressBlock(block))]),
            rights: [.read: [try #require(PathPattern("*"))]])
        let policy = AccessPolicy(
            realm: "Apus", users: [user], guessing: .free, hashes: { .real }, random: numbers.next)
        var dialogue = Dialogue(access: policy)
        let challenge = try challenge(&dialogue)
        let response = dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)
        #expect(response?.status == (isAdmitted ? .ok : .unauthorized))
    }

    @Test func credentialsForOneMethodAreInvalidForAnother() throws {
        var dialogue = Dialogue(access: .test())
        let credentials = DigestCredentials(
            answering: try challenge(&dialogue), user: "ann", password: "sesame", method: .describe, uri: Dialogue.url,
            hashes: .real)
        let headers: Headers = [.authorization: credentials.headerValue, .transport: "RTP/AVP/TCP;unicast"]
        #expect(dialogue.ask(.setUp, Dialogue.url, headers)?.status == .unauthorized)
        #expect(dialogue.ask(.describe, Dialogue.url, headers)?.status == .ok)
    }

    @Test func allRefusalsTakeTheSameWorkAndGiveTheSameResponse() throws {
        let log = WorkLog()
        var answers: Set<[UInt8]> = []
        var works: Set<[Int]> = []
        // All have the same length, because the work of a hash depends on it.
        for (user, password, path) in [
            ("ann", "wrong!", "cam"), ("zoe", "sesame", "cam"), ("bob", "garden", "cam"), ("bob", "garden", "xyz"),
            ("zoe", "sesame", "xyz"), ("ann", "wrong!", "xyz"), ("key", "lock..", "cam"),
        ] {
            var dialogue = Dialogue(access: .test(hashes: .counting(in: log)))
            let challenge = try challenge(&dialogue)
            _ = log.takeAll()
            dialogue.sent = []
            let response = dialogue.ask(
                .describe, "rtsp://h/\(path)", as: user, password: password, answering: challenge)
            #expect(response?.status == .unauthorized, "\(user) at \(path)")
            answers.insert(dialogue.sent)
            works.insert(log.takeAll())
        }
        #expect(answers.count == 1)
        #expect(works.count == 1 && works.first?.isEmpty == false)
    }

    @Test func allBasicPasswordsTakeTheSameWork() {
        let log = WorkLog()
        var works: Set<[Int]> = []
        let policy = AccessPolicy.test(hashes: .counting(in: log))
        // The first request creates the accounts. Then follow an unknown user, a wrong password, a wrong password with a salted
        // hash, and a correct one for a forbidden path.
        for (index, credentials) in ["eve:garden", "zoe:garden", "ann:garden", "key:garden", "bob:garden"].enumerated()
        {
            var dialogue = Dialogue(access: policy, security: .tls)
            let value = "Basic " + Base64.encode(Array(credentials.utf8))
            #expect(dialogue.ask(.describe, Dialogue.url, [.authorization: value])?.status == .unauthorized)
            let work = log.takeAll()
            if index > 0 { works.insert(work) }
        }
        #expect(works.count == 1 && works.first?.count == 2)
    }

    @Test func missingAndForbiddenPathsLookTheSameWithoutPermission() throws {
        var dialogue = Dialogue(access: .test())
        let challenge = try challenge(&dialogue)
        let missing = dialogue.ask(.describe, "rtsp://h/yard/none", as: "bob", password: "garden", answering: challenge)
        #expect(missing?.status == .notFound)
        let other = dialogue.ask(.describe, as: "bob", password: "garden", answering: challenge)
        #expect(other?.status == .unauthorized)
        #expect(dialogue.accessFailures.last == .notPermitted(user: "bob"))
        #expect(dialogue.ask(.getParameter, "*", as: "bob", password: "garden", answering: challenge)?.status == .ok)
    }

    @Test func credentialsCannotBeReplayedOnAnotherConnection() throws {
        let policy = AccessPolicy.test()
        var first = Dialogue(access: policy)
        var second = Dialogue(access: policy)
        let challenge = try challenge(&first)
        #expect(first.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
        for _ in 0..<2 {
            let replayed = second.ask(.describe, as: "ann", password: "sesame", answering: challenge)
            #expect(replayed?.status == .unauthorized)
            let own = try #require(DigestChallenge(replayed))
            #expect(own.isStale && own.nonce != challenge.nonce)
        }
        #expect(second.accessFailures == [.staleNonce, .staleNonce])
        // A client with the correct password learns that the nonce is stale; a client with a wrong one does not.
        let own = try #require(
            DigestChallenge(second.ask(.describe, as: "ann", password: "guess!", answering: challenge)))
        #expect(!own.isStale)
        #expect(second.ask(.describe, as: "ann", password: "sesame", answering: own)?.status == .ok)
    }

    @Test func anExpiredNonceIsStaleAndTheNextOneWorks() throws {
        var dialogue = Dialogue(access: .test(nonceSeconds: 10))
        let challenge = try challenge(&dialogue)
        dialogue.pass(milliseconds: 9_999)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
        dialogue.pass(milliseconds: 1)
        let response = dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)
        let next = try #require(DigestChallenge(response))
        #expect(next.isStale && next.nonce != challenge.nonce)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: next)?.status == .ok)
    }

    @Test func aStaleNonceKeepsTheSessionButAWrongPasswordDoesNot() throws {
        for (password, isKept) in [("sesame", true), ("wrong!", false)] {
            var dialogue = Dialogue(access: .test(nonceSeconds: 10))
            let challenge = try challenge(&dialogue)
            let url = Dialogue.url
            let setUp = dialogue.ask(
                .setUp, url + "/track1", Self.transport, as: "ann", password: "sesame", answering: challenge)
            let session = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
            dialogue.pass(milliseconds: 60_000)
            let headers: Headers = [.session: session.text]
            let keepalive = dialogue.ask(
                .getParameter, url, headers, as: "ann", password: password, answering: challenge)
            #expect(keepalive?.status == .unauthorized)
            dialogue.pass(milliseconds: 60_000)
            #expect(dialogue.orders.contains { if case .tearDown = $0 { true } else { false } } != isKept)
        }
    }

    @Test func aRequestCountThatDoesNotRiseIsAReplay() throws {
        var dialogue = Dialogue(access: .test(.sha256))
        let challenge = try challenge(&dialogue)
        func status(_ count: UInt32?) -> StatusCode? {
            dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge, count: count)?.status
        }
        #expect(status(1) == .ok)
        #expect(status(5) == .ok, "requests may have been lost on the way")
        #expect(status(5) == .unauthorized)
        #expect(status(6) == .unauthorized, "the replay invalidates the nonce")
        let next = try #require(DigestChallenge(dialogue.ask(.describe)))
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: next, count: 1)?.status == .ok)
        #expect(
            dialogue.ask(.describe, as: "ann", password: "sesame", answering: next)?.status == .unauthorized,
            "a client that counts its requests must continue to count")
    }

    @Test(arguments: [("", 1), ("Digest", 1), ("Bearer x", 1), ("Digest username=\"ann\"", 1), ("Digest x", 2)])
    func invalidCredentialsGetTheSameChallenge(value: String, fieldCount: Int) throws {
        var dialogue = Dialogue(access: .test())
        let challenge = try challenge(&dialogue)
        var headers = Headers()
        for _ in 0..<fieldCount { headers.append(.authorization, value) }
        #expect(DigestChallenge(dialogue.ask(.describe, Dialogue.url, headers)) == challenge)
    }

    @Test func duplicatedCredentialsAreRefused() throws {
        var dialogue = Dialogue(access: .test())
        let credentials = DigestCredentials(
            answering: try challenge(&dialogue), user: "ann", password: "sesame", method: .describe, uri: Dialogue.url,
            hashes: .real)
        var headers: Headers = [.authorization: credentials.headerValue]
        headers.append(.authorization, credentials.headerValue)
        #expect(dialogue.ask(.describe, Dialogue.url, headers)?.status == .unauthorized)
    }

    @Test(arguments: [("ann", "sesame"), ("key", "lock")])
    func basicIsAcceptedOnlyInsideTLS(user: String, password: String) {
        let value = "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
        for (security, status) in [(ConnectionSecurity.tls, StatusCode.ok), (.clear, .unauthorized)] {
            var dialogue = Dialogue(access: .test(), security: security)
            #expect(dialogue.ask(.describe, Dialogue.url, [.authorization: value])?.status == status)
            let wrong = "Basic " + Base64.encode(Array("\(user):\(password)x".utf8))
            #expect(dialogue.ask(.describe, Dialogue.url, [.authorization: wrong])?.status == .unauthorized)
        }
    }

    @Test func deniedAddressesAreRefusedWithoutAChallenge() throws {
        let rules = AddressRules(denied: [try #require(AddressBlock("192.0.2.0/24"))])
        var dialogue = Dialogue(access: .test(addresses: rules))
        let response = dialogue.ask(.describe, "rtsp://ann:sesame@h/cam")
        #expect(response?.status == .forbidden && response?.headers[.wwwAuthenticate] == nil)
        #expect(dialogue.accessFailures == [.address])
    }

    @Test func aSessionIsUnknownToAnotherUserOfTheConnection() throws {
        var dialogue = Dialogue(access: .test())
        let challenge = try challenge(&dialogue)
        let url = "rtsp://h/yard/a"
        let setUp = dialogue.ask(.setUp, url, Self.transport, as: "bob", password: "garden", answering: challenge)
        let session = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
        let headers: Headers = [.session: session.text]
        for method in [RTSP.Method.play, .tearDown, .getParameter] {
            let response = dialogue.ask(method, url, headers, as: "ann", password: "sesame", answering: challenge)
            #expect(response?.status == .sessionNotFound, "\(method.rawValue)")
            #expect(dialogue.ask(method, url, headers)?.status == .unauthorized)
        }
        #expect(dialogue.ask(.play, url, headers, as: "bob", password: "garden", answering: challenge)?.status == .ok)
    }

    @Test func randomUsersGetExactlyTheirPermissions() throws {
        var random = SplitMix64(seed: 4)
        let paths = ["a", "b", "b/c", "d"]
        for round in 0..<60 {
            let algorithm: DigestAlgorithm = Bool.random(using: &random) ? .md5 : .sha256
            let names = (0..<Int.random(in: 1...5, using: &random)).map { "user\($0)" }
            let passwords = names.map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) }
            let patterns = names.map { _ in ["a", "b", "b/*", "b*", "*", "d"].randomElement(using: &random) ?? "*" }
            let numbers = RandomNumbers(seed: UInt64(round))
            let policy = AccessPolicy(
                realm: "r\(round)", algorithm: algorithm,
                users: try zip(names, zip(passwords, patterns)).map { name, rest in
                    AccessPolicy.User(
                        name: name, secret: .password(rest.0), rights: [.read: [try #require(PathPattern(rest.1))]])
                }, guessing: .free, hashes: { .real }, random: numbers.next)
            var dialogue = Dialogue(access: policy)
            for step in 1..<12 as Range<UInt32> {
                let challenge = try challenge(&dialogue)
                let (user, other) = (
                    Int.random(in: names.indices, using: &random), Int.random(in: names.indices, using: &random)
                )
                let path = paths.randomElement(using: &random) ?? "a"
                let response = dialogue.ask(
                    .describe, "rtsp://h/\(path)", as: names[user], password: passwords[other], answering: challenge,
                    count: step)
                let isTheirs = try #require(PathPattern(patterns[user])).matches("/" + path, ignoringCase: false)
                // `Dialogue` serves none of these paths.
                #expect(response?.status == (user == other && isTheirs ? .notFound : .unauthorized))
            }
        }
    }

    @Test func withoutHashFunctionsEveryPasswordIsRefused() throws {
        let numbers = RandomNumbers(seed: 1)
        let user = AccessPolicy.User(
            name: "ann", secret: .password("sesame"), rights: [.read: [try #require(PathPattern("*"))]])
        let policy = AccessPolicy(realm: "Apus", users: [user], guessing: .free, hashes: { nil }, random: numbers.next)
        var dialogue = Dialogue(access: policy)
        let challenge = try challenge(&dialogue)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .unauthorized)
        #expect(dialogue.accessFailures.last == .noHashFunctions)
    }

    @Test func hashFunctionsAreLoadedWithTheFirstPassword() throws {
        let (numbers, log) = (RandomNumbers(seed: 1), WorkLog())
        let user = AccessPolicy.User(name: "ann", secret: .password("sesame"), rights: [:])
        let policy = AccessPolicy(
            realm: "Apus", users: [user],
            hashes: {
                log.note(0)
                return .real
            }, random: numbers.next)
        var dialogue = Dialogue(access: policy)
        let challenge = try challenge(&dialogue)
        #expect(log.takeAll().isEmpty)
        for _ in 0..<3 { dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge) }
        #expect(log.takeAll() == [0])
    }

    /// A policy with the user `ann`; loopback clients need no password.
    private func freeOnLoopback() throws -> AccessPolicy {
        let numbers = RandomNumbers(seed: 1)
        let user = AccessPolicy.User(
            name: "ann", secret: .password("sesame"), rights: [.read: [try #require(PathPattern("*"))]])
        return AccessPolicy(
            realm: "Apus", users: [user], guessing: .free, loopback: .free, hashes: { .real }, random: numbers.next)
    }

    @Test func loopbackClientsNeedNoPasswordIfConfigured() throws {
        let here = Endpoint(address: "127.0.0.1", isLoopback: true)
        var dialogue = Dialogue(access: try freeOnLoopback(), peer: here)
        #expect(dialogue.ask(.describe)?.status == .ok)
        #expect(dialogue.ask(.setUp, "rtsp://ann:wrong@h/cam", SATIPAccessTests.transport)?.status == .ok)
        var other = Dialogue(access: try freeOnLoopback())
        #expect(other.ask(.describe)?.status == .unauthorized)
        var asked = Dialogue(access: .test(), peer: here)
        #expect(asked.ask(.describe)?.status == .unauthorized)
    }

    @Test func corruptedCredentialsAreRefused() throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var dialogue = Dialogue(access: .test())
            let credentials = DigestCredentials(
                answering: try challenge(&dialogue), user: "ann", password: "sesame", method: .describe,
                uri: Dialogue.url, hashes: .real)
            let right = Array(credentials.headerValue.utf8)
            let damaged = Corruption.damaged(right, using: &random).filter { !$0.isForbiddenControl }
            let text = String(decoding: damaged, as: UTF8.self)
            guard Authorization(text) != .digest(credentials) else { continue }
            let response = dialogue.ask(.describe, Dialogue.url, [.authorization: text])
            // A corrupted URL may name the same stream, but then the hash differs.
            #expect(response?.status == .unauthorized, "\(text)")
        }
    }
}
