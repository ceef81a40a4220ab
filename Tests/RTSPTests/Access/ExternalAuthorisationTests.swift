import Media
import SDP
import Testing

@testable import RTSP

/// Authorisation by an external service.
struct DecisionTests {
    private static func dialogue(
        _ security: ConnectionSecurity = .tls, guessing: GuessLimits = .free, lockOut: LockOut = LockOut(),
        except exempt: [PathPattern] = []
    ) -> Dialogue {
        let policy = AccessPolicy(
            realm: "Apus", users: [], guessing: guessing, exemptPaths: exempt, hashes: { nil }, random: { 7 })
        return Dialogue(access: policy, lockOut: lockOut, security: security)
    }

    private static let ann: Headers = [.authorization: "Basic \(Base64.encode(Array("ann:sesame".utf8)))"]

    /// The pending authorisation request.
    private static func question(_ dialogue: Dialogue) throws -> (RequestID, ExternalAuthorisationRequest) {
        guard case .decide(let id, let question)? = dialogue.orders.last else { throw NoPendingRequest() }
        return (id, question)
    }

    private struct NoPendingRequest: Error {}

    /// Decides the pending request and returns the responses.
    private static func decide(_ decision: AccessDecision, in dialogue: inout Dialogue) throws -> [Response] {
        let (id, _) = try question(dialogue)
        dialogue.connection.decided(id, decision, at: dialogue.now)
        return dialogue.drain()
    }

    @Test func aRefusedClientIsChallengedAndAdmittedWithThePassword() throws {
        var dialogue = Self.dialogue()
        #expect(dialogue.ask(.describe, "\(Dialogue.url)?token=t", [.userAgent: "VLC/3"]) == nil)
        let first = try Self.question(dialogue).1
        #expect(first.user == "" && first.password == "" && !first.hasCredentials)
        #expect(first.path == "cam" && first.query == "token=t" && first.right == .read && first.userAgent == "VLC/3")
        #expect(first.address == Dialogue.peer.address && first.security == .tls)
        let refusal = try Self.decide(.refused, in: &dialogue)
        #expect(refusal.map(\.status) == [.unauthorized])
        #expect(refusal.first?.headers.values(of: .wwwAuthenticate) == ["Basic realm=\"Apus\""])
        #expect(dialogue.ask(.describe, Dialogue.url, Self.ann) == nil)
        let second = try Self.question(dialogue).1
        #expect(second.user == "ann" && second.password == "sesame")
        #expect(!"\(second) \(String(reflecting: second))".contains("sesame"))
        #expect(try Self.decide(.admitted, in: &dialogue).map(\.status) == [.ok])
    }

    @Test func anAuthorisationIsValidUntilTheConnectionCloses() throws {
        var dialogue = Self.dialogue()
        dialogue.ask(.describe, Dialogue.url, Self.ann)
        _ = try Self.decide(.admitted, in: &dialogue)
        let orderCount = dialogue.orders.count
        var headers = Self.ann
        headers[.transport] = "RTP/AVP/TCP;unicast"
        let setUp = dialogue.ask(.setUp, "\(Dialogue.url)/track1", headers)
        #expect(setUp?.status == .ok)
        headers = Self.ann
        headers[.session] = setUp?.headers[.session]
        #expect(dialogue.ask(.play, Dialogue.url, headers)?.status == .ok)
        #expect(dialogue.ask(.getParameter, "*", headers)?.status == .ok)
        #expect(!dialogue.orders[orderCount...].contains { if case .decide = $0 { true } else { false } })
        // Another path needs an authorisation of its own, and so does another password.
        #expect(dialogue.ask(.describe, "rtsp://cam.example/other", Self.ann) == nil)
        #expect(try Self.question(dialogue).1.path == "other")
        #expect(try Self.decide(.refused, in: &dialogue).map(\.status) == [.unauthorized])
    }

    @Test func requestsBehindAPendingAuthorisationKeepTheirOrder() throws {
        var dialogue = Self.dialogue()
        #expect(dialogue.ask(.describe) == nil)
        #expect(dialogue.ask(.options, "*") == nil)
        let responses = try Self.decide(.admitted, in: &dialogue)
        #expect(responses.map { $0.headers[.cSeq] } == ["1", "2"])
    }

    @Test func withoutADecisionRequestsAreRefused() throws {
        var dialogue = Self.dialogue()
        dialogue.ask(.describe)
        #expect(try Self.decide(.unavailable, in: &dialogue).map(\.status) == [.serviceUnavailable])
        dialogue.ask(.describe)
        let (id, _) = try Self.question(dialogue)
        dialogue.sent = []
        dialogue.pass(milliseconds: 14_000)
        #expect(dialogue.sent.isEmpty)
        dialogue.pass(milliseconds: 1_000)
        #expect(String(decoding: dialogue.sent, as: UTF8.self).hasPrefix("RTSP/1.0 503 "))
        // A late decision has no effect.
        dialogue.connection.decided(id, .admitted, at: dialogue.now)
        #expect(dialogue.drain().isEmpty)
    }

    @Test func withoutTLSNoPasswordIsRequested() throws {
        var dialogue = Self.dialogue(.clear)
        dialogue.ask(.describe, "\(Dialogue.url)?token=t")
        let refusal = try Self.decide(.refused, in: &dialogue)
        #expect(refusal.map(\.status) == [.forbidden] && refusal.first?.headers[.wwwAuthenticate] == nil)
        #expect(dialogue.ask(.describe, Dialogue.url, Self.ann)?.status == .forbidden, "it is not even checked")
        dialogue.ask(.describe, "\(Dialogue.url)?token=u")
        #expect(try Self.decide(.admitted, in: &dialogue).map(\.status) == [.ok])
    }

    @Test func wrongPasswordsLockTheAddressOut() throws {
        let lockOut = LockOut()
        for _ in 0..<3 {
            var dialogue = Self.dialogue(guessing: GuessLimits(guessCount: 3), lockOut: lockOut)
            dialogue.ask(.describe, Dialogue.url, Self.ann)
            #expect(try Self.decide(.refused, in: &dialogue).map(\.status) == [.unauthorized])
        }
        var dialogue = Self.dialogue(guessing: GuessLimits(guessCount: 3), lockOut: lockOut)
        #expect(dialogue.ask(.describe, Dialogue.url, Self.ann)?.status == .forbidden)
    }

    /// `/` is the path of a server's only stream, and not the server as a whole.
    @Test func theRootPathDiffersFromTheWholeServer() throws {
        for (url, path) in [
            ("rtsp://cam.example", "/"), ("rtsp://cam.example//", "/"), ("rtsp://cam.example/a/b", "a/b"),
        ] {
            var dialogue = Self.dialogue()
            dialogue.ask(.describe, url)
            #expect(try Self.question(dialogue).1.path == path)
        }
        var dialogue = Self.dialogue()
        dialogue.ask(.getParameter, "*")
        #expect(try Self.question(dialogue).1.path == "")
    }

    @Test(arguments: ["cam*", "*", "yard/*", "a b"])
    func aClientsPathIsNotAPattern(path: String) throws {
        var dialogue = Self.dialogue()
        let text = path.replacing(" ", with: "%20")
        dialogue.ask(.describe, "rtsp://cam.example/\(text)")
        _ = try Self.decide(.admitted, in: &dialogue)
        let grants = dialogue.orders.compactMap {
            if case .describe(_, let request) = $0 { request.grant } else { nil }
        }
        let grant = try #require(grants.first)
        #expect(grant.admits(.read, "/\(path)"))
        for other in ["/cam", "/camera", "/yard/gate", "/"] { #expect(!grant.admits(.read, other), "\(other)") }
    }

    @Test func tooManyPendingAuthorisationsOfAnAddressGetRetryAfter() throws {
        var dialogue = Self.dialogue()
        dialogue.ask(.describe)
        let answers = try Self.decide(.tooManyWaiting, in: &dialogue)
        #expect(answers.map(\.status) == [.serviceUnavailable] && answers[0].headers[.retryAfter] == "1")
    }

    @Test func exemptPathsNeedNoAuthorisation() throws {
        var dialogue = Self.dialogue(except: [try #require(PathPattern("cam"))])
        #expect(dialogue.ask(.describe)?.status == .ok)
        #expect(dialogue.ask(.describe, "rtsp://cam.example/camera") == nil, "another path")
    }
}
