import Media
import RTSP
import RTSPServer
import SDP
import TestSupport
import Testing

@testable import RTMP

/// Users over RTMP on the real server.
@Suite(.serialized)
struct AccessTests {
    private func login(_ user: String, _ password: String) -> RTMP.ClientLogin {
        RTMP.ClientLogin(user: user, password: password, clientChallenge: "1a2b") {
            Base64.encode(mixed(Array($0.utf8), count: 16))
        }
    }

    private func withCam(guessCount: Int = 10, _ body: (RTMPBroadcast) async throws -> Void) async throws {
        try await RTMPBroadcast.run(access: .users(guessCount: guessCount)) { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            try await body(broadcast)
        }
    }

    /// Connects again as long as the server asks for more.
    private func client(_ login: RTMP.ClientLogin, _ connect: (RTMP.ClientLogin) throws -> TestClient) throws
        -> TestClient
    {
        var client = try connect(login)
        for _ in 0..<2 {
            client.read { client.hasStarted || client.isOver }
            guard let next = client.nextLogin else { break }
            client = try connect(next)
        }
        client.read { client.hasStarted || client.isOver }
        return client
    }

    @Test func usersLogInByTheQuery() async throws {
        try await withCam { broadcast in
            #expect(try broadcast.publisher(query: "user=ann&pass=sesame").start())
            #expect(try broadcast.player(query: "user=eve&pass=apple").start())
            #expect(broadcast.live.publisher == nil || broadcast.live.publisher?.user == "ann")
            #expect(try broadcast.publisher(query: "user=eve&pass=apple").refusal()?.code == .publishUnauthorized)
            #expect(try broadcast.publisher(query: "user=ann&pass=no").refusal()?.code == .publishUnauthorized)
            #expect(try broadcast.player(query: "user=ann&pass=no").refusal()?.code == .playFailed)
            // Behind the name of a stream, where FFmpeg puts it if the path has two elements.
            let nested = try broadcast.player("no/cam", query: "user=eve&pass=apple")
            #expect(nested.refusal()?.code == .playStreamNotFound)
        }
    }

    @Test func usersLogInByTheChallenge() async throws {
        try await withCam { broadcast in
            let player = try client(login("eve", "apple")) { try broadcast.player(login: $0) }
            #expect(player.hasStarted)
            let publisher = try client(login("ann", "sesame")) { try broadcast.publisher(login: $0) }
            #expect(publisher.hasStarted)
            let wrong = try client(login("eve", "pear")) { try broadcast.player(login: $0) }
            #expect(wrong.end == .unauthorised && !wrong.hasStarted)
            let unknown = try client(login("joe", "pear")) { try broadcast.player(login: $0) }
            #expect(unknown.end == .unauthorised)
            // Only a hash of the password is known.
            let hashed = try client(login("bob", "sesame")) { try broadcast.player(login: $0) }
            #expect(hashed.end == .unauthorised)
            #expect(broadcast.lines.text.contains("only a hash of the password of user bob is known here"))
        }
    }

    @Test func aClientWithoutCredentialsIsAskedOrTold() async throws {
        try await withCam { broadcast in
            let asked = try broadcast.player()
            asked.read { asked.isOver }
            #expect(asked.end == .unauthorised)
            // A query may still follow, behind the name of the stream.
            let told = try broadcast.publisher("yard/a").refusal()
            #expect(told?.code == .publishUnauthorized)
            #expect(told?.description == "a user and a password are needed: add ?user=USER&pass=PASSWORD")
        }
    }

    @Test func wrongPasswordsLockTheAddressOut() async throws {
        try await withCam(guessCount: 3) { broadcast in
            for _ in 0..<3 {
                let guess = try broadcast.player(query: "user=eve&pass=pear", from: "127.0.0.9")
                #expect(guess.refusal()?.code == .playFailed)
            }
            let right = try broadcast.player(query: "user=eve&pass=apple", from: "127.0.0.9").refusal()
            #expect(right?.description == "too many wrong passwords from this address; try again later")
            #expect(broadcast.lines.text.contains("address locked out"))
            #expect(try broadcast.player(query: "user=eve&pass=apple").start(), "another address")
        }
    }

    /// Admits `ann` alone.
    private struct Authoriser: ExternalAuthoriser {
        func decide(
            _ request: ExternalAuthorisationRequest, for connection: String,
            _ answer: @escaping @Sendable (AccessDecision) -> Void
        ) {
            #expect(request.application == .rtmp && request.path == "cam")
            answer(request.user == "ann" && request.password == "a b" ? .admitted : .refused)
        }
    }

    @Test func anExternalServiceDecides() async throws {
        let policy = AccessPolicy(
            realm: "Apus", users: [], exemptPaths: [], hashes: { .mixing }, random: { .random(in: .min ... .max) })
        try await RTMPBroadcast.run(access: policy) { _ in
        } limits: {
            $0.authoriser = Authoriser()
        } _: { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let admitted = try broadcast.player(query: "user=ann&pass=a%20b")
            #expect(admitted.start())
            let refused = try broadcast.player(query: "user=joe&pass=a").refusal()
            #expect(refused?.code == .playFailed)
            let unknown = try broadcast.player().refusal()
            #expect(unknown?.code == .playFailed)
        }
    }

    @Test func aClientThatLosesItsRightIsEnded() async throws {
        try await withCam { broadcast in
            let player = try broadcast.player(query: "user=eve&pass=apple")
            let publisher = try broadcast.publisher(query: "user=ann&pass=sesame")
            #expect(player.start() && publisher.start())
            broadcast.rtsp.admit(by: .users())
            await broadcast.rtmp.review()
            #expect(!player.read(within: 0.3) { player.isOver })
            broadcast.rtsp.admit(
                by: AccessPolicy(
                    realm: "Apus", users: [.init(name: "joe", secret: .password("a"), rights: [:])],
                    hashes: { .mixing }, random: { 7 }))
            await broadcast.rtmp.review()
            #expect(player.read { player.isOver })
            #expect(publisher.refusal()?.code == .publishUnauthorized)
        }
    }
}
