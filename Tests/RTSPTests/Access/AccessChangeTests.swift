import Media
import Testing

@testable import RTSP

/// Changes of the access policy while clients watch.
struct AccessChangeTests {
    /// A policy with users, their passwords and the paths that they may watch.
    private func policy(
        _ users: [(name: String, secret: AccessPolicy.Secret, paths: String)], denied: [String] = []
    ) throws -> AccessPolicy {
        let numbers = RandomNumbers(seed: 3)
        return AccessPolicy(
            realm: "Apus",
            users: try users.map {
                AccessPolicy.User(
                    name: $0.name, secret: $0.secret, rights: [.read: [try #require(PathPattern($0.paths))]])
            },
            addresses: AddressRules(denied: try denied.map { try #require(AddressBlock($0)) }),
            guessing: .free, hashes: { .real }, random: numbers.next)
    }

    private func ann(_ password: String = "sesame", paths: String = "*") throws -> AccessPolicy {
        try policy([("ann", .password(password), paths)])
    }

    /// Ann's session at `/cam`, and its challenge.
    private func watching(_ policy: AccessPolicy) throws -> (Dialogue, SessionID, DigestChallenge) {
        var dialogue = Dialogue(access: policy)
        let challenge = try #require(DigestChallenge(dialogue.ask(.describe)))
        let setUp = dialogue.ask(
            .setUp, Dialogue.url + "/track1", AccessTests.transport, as: "ann", password: "sesame", answering: challenge
        )
        let session = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
        let headers: Headers = [.session: session.text]
        let play = dialogue.ask(.play, Dialogue.url, headers, as: "ann", password: "sesame", answering: challenge)
        #expect(play?.status == .ok)
        dialogue.orders = []
        return (dialogue, session, challenge)
    }

    private func change(_ dialogue: inout Dialogue, to policy: AccessPolicy?, at path: String = "/cam") {
        let sessions = dialogue.connection.sessions.sessions.map { ($0.id, path) }
        dialogue.connection.accessChanged(
            to: policy, paths: Dictionary(uniqueKeysWithValues: sessions), at: dialogue.now)
        dialogue.drain()
    }

    @Test func clientsThatKeepTheirPermissionAreNotInterrupted() throws {
        let secret = HashFunctions.real.digestSecret(.md5, user: "ann", realm: "Apus", password: "sesame")
        for same in [
            try ann(), try ann(paths: "cam"), try policy([("ann", .digest(secret), "*")]),
            try policy([("bob", .password("x"), "*"), ("ann", .password("sesame"), "c*")], denied: ["10.0.0.0/8"]),
        ] {
            var (dialogue, session, challenge) = try watching(ann())
            change(&dialogue, to: same)
            #expect(dialogue.orders.isEmpty)
            // The challenge stays valid, too.
            let headers: Headers = [.session: session.text]
            let response = dialogue.ask(
                .getParameter, Dialogue.url, headers, as: "ann", password: "sesame", answering: challenge)
            #expect(response?.status == .ok)
        }
    }

    @Test func sessionsWithoutPermissionEnd() throws {
        for other in [
            try ann("other!"), try ann(paths: "yard/*"), try policy([("bob", .password("sesame"), "*")]),
            try policy([("ann", .password("sesame"), "*")], denied: ["192.0.2.0/24"]),
        ] {
            var (dialogue, session, _) = try watching(ann())
            change(&dialogue, to: other)
            #expect(
                dialogue.orders == [
                    .tearDown(session, .withdrawn(.permissionLost)), .close(.withdrawn(.permissionLost)),
                ])
        }
    }

    @Test func theRealPathCountsEvenIfTheClientChangedItsCase() throws {
        for (path, stays) in [("/Cam", true), ("/cam", false)] {
            var (dialogue, _, _) = try watching(ann())
            change(&dialogue, to: try ann(paths: "Cam"), at: path)
            #expect(dialogue.orders.isEmpty == stays)
        }
    }

    @Test func addingTheFirstUserEndsAnonymousSessionsAndRemovingTheLastKeepsAll() throws {
        var dialogue = Dialogue()
        let session = try dialogue.setUp()
        dialogue.orders = []
        change(&dialogue, to: try ann())
        #expect(
            dialogue.orders == [.tearDown(session, .withdrawn(.permissionLost)), .close(.withdrawn(.permissionLost))])
        for free in [nil, try policy([])] {
            var (dialogue, session, _) = try watching(ann())
            change(&dialogue, to: free)
            #expect(dialogue.orders.isEmpty)
            #expect(dialogue.ask(.getParameter, Dialogue.url, [.session: session.text])?.status == .ok)
        }
    }

    @Test func loopbackClientsStayIfTheyNeedNoPassword() throws {
        let numbers = RandomNumbers(seed: 1)
        let policy = AccessPolicy(
            realm: "Apus", users: [.init(name: "ann", secret: .password("sesame"), rights: [:])], loopback: .free,
            hashes: { .real }, random: numbers.next)
        for (peer, stays) in [(Endpoint(address: "::1", isLoopback: true), true), (Dialogue.peer, false)] {
            var dialogue = Dialogue(peer: peer)
            _ = try dialogue.setUp()
            dialogue.orders = []
            change(&dialogue, to: policy)
            #expect(dialogue.orders.isEmpty == stays)
        }
    }

    @Test func otherSessionsOfTheConnectionStay() throws {
        var (dialogue, first, challenge) = try watching(policy([("ann", .password("sesame"), "*")]))
        let setUp = dialogue.ask(
            .setUp, "rtsp://cam.example:8554/yard/track1", [.transport: "RTP/AVP/TCP;unicast;interleaved=2-3"],
            as: "ann", password: "sesame", answering: challenge)
        let second = try #require(setUp?.headers[.session].flatMap(SessionHeader.init)?.id)
        dialogue.orders = []
        dialogue.connection.accessChanged(
            to: try ann(paths: "yard"), paths: [first: "/cam", second: "/yard"], at: dialogue.now)
        dialogue.drain()
        #expect(dialogue.orders == [.tearDown(first, .withdrawn(.permissionLost))])
    }

    @Test func aPendingRequestIsAuthorisedAgain() throws {
        for method in [RTSP.Method.describe, .setUp] {
            var dialogue = Dialogue()
            dialogue.answers = false
            dialogue.ask(method, Dialogue.url, AccessTests.transport)
            change(&dialogue, to: try ann())
            let text = String(decoding: dialogue.sent, as: UTF8.self)
            #expect(text.hasPrefix("RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\n"))
            // A later answer has no effect.
            for order in dialogue.orders { dialogue.answer(order) }
            dialogue.drain()
            #expect(dialogue.connection.sessions.isEmpty)
            #expect(String(decoding: dialogue.sent, as: UTF8.self) == text)
        }
    }

    @Test func newLoginsUseTheNewPolicy() throws {
        var dialogue = Dialogue(access: try ann("former"))
        let challenge = try #require(DigestChallenge(dialogue.ask(.describe)))
        change(&dialogue, to: try ann())
        #expect(dialogue.ask(.describe, as: "ann", password: "former", answering: challenge)?.status == .unauthorized)
        #expect(dialogue.ask(.describe, as: "ann", password: "sesame", answering: challenge)?.status == .ok)
    }
}
