import RTSP
import Synchronization
import TestSupport
import Testing

@testable import RTSPClient

/// Servers that answer DESCRIBE with a 30x.
@Suite struct RedirectionTests {
    private static let description = """
        v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\n\
        m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:track1\r\n
        """
    private static let packet: [UInt8] = [0x24, 0, 0, 14, 0x80, 96, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0x65, 0x88]

    /// A server with a stream.
    private static func home(_ seen: Seen, asking asks: [String] = []) throws -> ScriptedServer {
        try ScriptedServer { request, peer in
            seen.heads.withLock { $0.append(request.head) }
            if !asks.isEmpty, request.method == "DESCRIBE", !request.head.contains("Authorization:") {
                return peer.send(request.answer(asks, status: "401 Unauthorized"))
            }
            return switch request.method {
            case "DESCRIBE": peer.send(request.answer(body: description))
            case "SETUP":
                peer.send(request.answer(["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]))
            case "PLAY": peer.send(request.answer() + packet)
            default: peer.send(request.answer())
            }
        }
    }

    /// A server that redirects DESCRIBE to `url`.
    private static func signpost(to url: String, _ seen: Seen = Seen()) throws -> ScriptedServer {
        try ScriptedServer { request, peer in
            seen.heads.withLock { $0.append(request.head) }
            guard request.method == "DESCRIBE" else { return peer.send(request.answer()) }
            return peer.send(request.answer(["Location: \(url)"], status: "302 Found"))
        }
    }

    private final class Seen: Sendable {
        let heads = Mutex<[String]>([])
        var methods: [String] { heads.withLock(\.self).map { String($0.prefix { $0 != " " }) } }
        func contains(_ text: String) -> Bool { heads.withLock { $0.contains { $0.contains(text) } } }
    }

    private static func plan(_ server: ScriptedServer, login: ClientLogin? = nil) throws -> SessionPlan {
        var plan = SessionPlan(try #require(RequestURL(server.url)), transport: .tcp)
        plan.login = login
        return plan
    }

    static func login() throws -> ClientLogin {
        // The servers here look at no hash.
        let hashes = HashFunctions(
            md5: { _ in [UInt8](repeating: 1, count: 16) }, sha256: { _ in [UInt8](repeating: 1, count: 32) },
            stretched: { _, _ in [] }, isSame: { $0 == $1 })
        return ClientLogin(
            try #require(RequestURL("rtsp://ann:secret@h/")?.userInformation), hashes: hashes, random: { 7 })
    }

    @Test func theStreamPlaysFromItsNewURL() throws {
        let seen = Seen()
        let home = try Self.home(seen)
        // The name has several addresses, of which some may not answer.
        let signpost = try Self.signpost(to: "rtsp://localhost:\(home.port)/new")
        let between = try Self.signpost(to: signpost.url)
        defer { [home, signpost, between].forEach { $0.stop() } }
        let outcome = try Watch.run(try Self.plan(between))
        #expect(outcome.payloads == [0: [[0x65, 0x88]]])
        #expect(seen.methods.prefix(4) == ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"])
        #expect(seen.contains("DESCRIBE rtsp://localhost:\(home.port)/new RTSP/1.0"))
    }

    @Test func aCircleEndsAfterFiveRedirections() throws {
        let url = Mutex("")
        let seen = Seen()
        let server = try ScriptedServer { request, peer in
            seen.heads.withLock { $0.append(request.head) }
            let location = "Location: " + url.withLock(\.self)
            return peer.send(
                request.method == "DESCRIBE"
                    ? request.answer([location], status: "302 Found") : request.answer())
        }
        defer { server.stop() }
        url.withLock { $0 = server.url }
        let outcome = try Watch.run(try Self.plan(server))
        #expect(outcome.end?.description == "the server redirects again and again, last to \(server.url)")
        #expect(seen.methods.filter { $0 == "DESCRIBE" }.count == 6)
    }

    @Test func aPlanWithoutRedirectionsNamesTheNewURL() throws {
        let signpost = try Self.signpost(to: "rtsp://127.0.0.1:9/new")
        defer { signpost.stop() }
        var plan = try Self.plan(signpost)
        plan.redirectionLimit = 0
        let outcome = try Watch.run(plan)
        #expect(outcome.end?.description.contains("has moved to rtsp://127.0.0.1:9/new") == true)
    }

    /// What a client with a password does after a redirection to a server on `host`, at another port, that asks for a login.
    private static func watch(redirectedTo host: String, asking challenge: String) throws -> (Watch.Outcome, Seen) {
        let seen = Seen()
        let home = try home(seen, asking: ["WWW-Authenticate: \(challenge)"])
        let signpost = try signpost(to: "rtsp://\(host):\(home.port)/new")
        defer { [home, signpost].forEach { $0.stop() } }
        return (try Watch.run(try plan(signpost, login: try login())), seen)
    }

    /// Another port of the same host may belong to another user of the host.
    @Test(arguments: ["localhost", "127.0.0.1"])
    func anotherServerNeverGetsThePasswordInPlainText(host: String) throws {
        let (outcome, seen) = try Self.watch(redirectedTo: host, asking: "Basic realm=\"x\"")
        #expect(outcome.end?.description.contains("401") == true)
        #expect(seen.contains("DESCRIBE") && !seen.contains("Authorization:"))
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func anotherServerGetsTheAnswerOfDigest(host: String) throws {
        let (outcome, seen) = try Self.watch(redirectedTo: host, asking: "Digest realm=\"x\", nonce=\"n\"")
        #expect(outcome.payloads == [0: [[0x65, 0x88]]])
        #expect(seen.contains("Authorization: Digest username=\"ann\""))
        #expect(!seen.contains("secret"))
    }

    @Test func theSameServerMayAskForBasicAgain() throws {
        let seen = Seen()
        let server = try ScriptedServer { request, peer in
            seen.heads.withLock { $0.append(request.head) }
            guard request.method == "DESCRIBE" else { return peer.send(request.answer()) }
            guard request.head.contains("/moved ") else {
                let location = request.head.split(separator: " ")[1] + "/moved"
                return peer.send(request.answer(["Location: \(location)"], status: "302 Found"))
            }
            return peer.send(
                request.answer(["WWW-Authenticate: Basic realm=\"x\""], status: "401 Unauthorized"))
        }
        defer { server.stop() }
        _ = try Watch.run(try Self.plan(server, login: try Self.login()))
        #expect(seen.contains("Authorization: Basic"))
    }

    /// A server elsewhere must not make this host connect to its own services.
    @Test func aServerElsewhereCannotRedirectToThisHost() throws {
        let seen = Seen()
        let home = try Self.home(seen)
        defer { home.stop() }
        var plan = try Self.plan(home)
        plan.refusesLocalAddresses = true
        let outcome = try Watch.run(plan)
        #expect(
            outcome.end?.description == "the server redirects to \(home.url), which is not for others; not followed")
        #expect(seen.methods.isEmpty)
    }

    /// An owner who pulls from a device of this host through a server elsewhere names the address.
    @Test func aRedirectionToThisHostIsFollowedIfItsAddressIsNamed() throws {
        let home = try Self.home(Seen())
        defer { home.stop() }
        var plan = try Self.plan(home)
        plan.refusesLocalAddresses = true
        plan.destinations.rules.allowed = [try #require(AddressBlock("127.0.0.0/8"))]
        #expect(try Watch.run(plan).payloads == [0: [[0x65, 0x88]]])
    }

    @Test(arguments: [(["192.0.2.0/24"], []), ([], ["127.0.0.1"]), (["127.0.0.0/8"], ["127.0.0.1"])])
    func aSessionConnectsOnlyToPermittedAddresses(allowed: [String], denied: [String]) throws {
        let seen = Seen()
        let home = try Self.home(seen)
        defer { home.stop() }
        let plan = try Self.plan(home)
        plan.destinations.rules = AddressRules(
            allowed: allowed.compactMap { AddressBlock($0) }, denied: denied.compactMap { AddressBlock($0) })
        let outcome = try Watch.run(plan)
        #expect(outcome.end?.description == "connections to the address of \(home.url) are not permitted")
        #expect(seen.methods.isEmpty)
    }

    /// RFC 2326 knows no TLS; a browser does not leave `https` on a redirection with credentials either.
    @Test func aStreamNeverMovesFromTLSToPlainText() throws {
        var plan = SessionPlan(try #require(RequestURL("rtsps://127.0.0.1/cam")), transport: .tcp)
        try plan.accept(.any)
        let url = try #require(RequestURL("rtsp://127.0.0.1/cam"))
        #expect(throws: ClientSessionEnd.self) { try plan.redirected(to: url) }
        let secure = try #require(RequestURL("rtsps://127.0.0.1/other"))
        #expect(try plan.redirected(to: secure).url == secure)
    }
}
