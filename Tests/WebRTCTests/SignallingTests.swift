import Testing

@testable import WebRTC

@Suite struct SignallingTests {
    private let endpoint = SignallingEndpoint(.playback)
    private let session = SignallingSession(
        entityTag: "tag",
        remote: ICECredentials(userFragment: "zEIU", password: "4zXGl7491bg3F9gvgwMjV7wg")!)

    private func status(_ order: SignallingEndpoint.Order) -> Int? {
        if case .respond(let response) = order { response.status } else { nil }
    }

    private func status(_ order: SignallingSession.Order) -> Int? {
        if case .respond(let response) = order { response.status } else { nil }
    }

    @Test func anOfferIsOpened() throws {
        let body = try Samples.offer("chromium-playback")
        for type in ["application/sdp", "Application/SDP; charset=utf-8", " application/sdp "] {
            let order = endpoint.received(.init(method: "POST", contentType: type, body: body))
            #expect(order == .open(try Offer(parsing: body)))
        }
    }

    @Test func otherRequestsToTheEndpointGetTheirStatus() throws {
        let body = try Samples.offer("chromium-playback")
        #expect(status(endpoint.received(.init(method: "POST", body: body))) == 415)
        #expect(status(endpoint.received(.init(method: "POST", contentType: "application/json", body: body))) == 415)
        #expect(status(endpoint.received(.init(method: "POST", contentType: "application/sdp"))) == 400)
        #expect(
            status(
                endpoint.received(
                    .init(method: "POST", contentType: "application/sdp", body: body + body + body + body + body + body)
                ))
                == 413)
        #expect(
            endpoint.received(.init(method: "HEAD"))
                == .respond(SignallingResponse(200, [.init("Content-Type", "application/sdp")])))
        #expect(endpoint.received(.init(method: "GET")) == .respond(SignallingResponse(204)))
        #expect(status(endpoint.received(.init(method: "PUT"))) == 405)
    }

    @Test func aNewSessionIsDescribed() {
        let response = SignallingEndpoint.created(
            answer: "v=0\r\n", location: "/cam/whep/1", entityTag: "tag",
            iceServers: [
                ICEServer(url: "stun:stun.example.net"),
                ICEServer(url: "turn:turn.example.net?transport=udp", username: "a\"b", credential: "c\r\nd"),
            ])
        #expect(response.status == 201 && response.body == .description("v=0\r\n"))
        #expect(
            response.headers == [
                .init("Content-Type", "application/sdp"), .init("Location", "/cam/whep/1"), .init("ETag", "\"tag\""),
                .init("Accept-Patch", "application/trickle-ice-sdpfrag"),
                .init("Link", "<stun:stun.example.net>; rel=\"ice-server\""),
                .init(
                    "Link",
                    "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"a\\\"b\"; credential=\"cd\"; "
                        + "credential-type=\"password\""),
            ])
    }

    @Test func refusalsTellWhenToTryAgain() {
        let response = SignallingResponse.problem(409, "nobody publishes", retryAfterSeconds: 2)
        #expect(response.status == 409 && response.headers == [.init("Retry-After", "2")])
        #expect(response.body == .problem("nobody publishes"))
        #expect(SignallingResponse(.nothingInCommon("why")) == .problem(422, "why"))
    }

    @Test func aSessionIsDeleted() {
        #expect(session.received(.init(method: "DELETE")) == .close(SignallingResponse(200)))
    }

    private func patch(_ ifMatch: String?, _ body: String, type: String? = "application/trickle-ice-sdpfrag") -> Int? {
        status(session.received(.init(method: "PATCH", contentType: type, ifMatch: ifMatch, body: [UInt8](body.utf8))))
    }

    @Test func candidatesAreTaken() {
        let body =
            "a=ice-ufrag:zEIU\r\na=ice-pwd:4zXGl7491bg3F9gvgwMjV7wg\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\na=candidate:1\r\n"
        #expect(patch("\"tag\"", body) == 204)
        #expect(patch("\"other\", \"tag\"", body) == 204)
        #expect(patch(nil, body) == 428)
        #expect(patch("\"other\"", body) == 412)
        #expect(patch("tag", body) == 412)
        #expect(patch("\"tag\"", body, type: "application/sdp") == 415)
        #expect(patch("\"tag\"", body, type: nil) == 415)
        #expect(patch("\"tag\"", "nonsense") == 400)
        #expect(patch("\"tag\"", String(repeating: "a=candidate:1\r\n", count: 2_000)) == 413)
    }

    @Test func iceDoesNotBeginAnew() {
        #expect(patch("*", "a=ice-ufrag:new1\r\na=ice-pwd:4zXGl7491bg3F9gvgwMjV7wg\r\n") == 422)
        #expect(patch("\"tag\"", "a=ice-ufrag:new1\r\n") == 422)
    }

    @Test func otherRequestsToTheSessionGetTheirStatus() {
        #expect(status(session.received(.init(method: "HEAD"))) == 200)
        #expect(status(session.received(.init(method: "GET"))) == 204)
        #expect(status(session.received(.init(method: "POST"))) == 405)
    }

    @Test func fragmentsAreRead() throws {
        let text =
            "a=ice-options:trickle\na=ice-ufrag:abcd\n\na=candidate:1 1 udp 1 ::1 9 typ host\r\na=end-of-candidates"
        let fragment = try TrickleFragment(parsing: [UInt8](text.utf8))
        #expect(fragment.userFragment == "abcd" && fragment.isComplete)
        #expect(fragment.candidates == ["1 1 udp 1 ::1 9 typ host"])
        for count in 0..<text.utf8.count { _ = try? TrickleFragment(parsing: Array(text.utf8.prefix(count))) }
        let many = String(repeating: "a=candidate:1\n", count: 1_000)
        #expect(try TrickleFragment(parsing: [UInt8](many.utf8)).candidates.count == TrickleFragment.candidateLimit)
    }
}
