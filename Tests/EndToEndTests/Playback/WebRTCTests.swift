import Foundation
import RTP
import TestSupport
import Testing

extension EndToEnd {
    /// Playback over WebRTC from the real binary, by a client of the tests. Browsers are tested in Tests/Browser.
    @Suite(.serialized, .sharesMachine)
    struct WebRTC {
        @Test(arguments: [WebRTCPeer.Way.udp, .tcp])
        func theTestCardPlaysWithoutAGap(_ way: WebRTCPeer.Way) async throws {
            let folder = try configuration()
            defer { withExtendedLifetime(folder) {} }
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                try #require(try await server.isServing())
                let peer = try WebRTCPeer(way)
                let http = try HTTPSocket(port: server.httpPort)
                let response = try #require(
                    http.ask("POST /cam/whep", "Content-Type: application/sdp", body: peer.offer()))
                try #require(response.status == 201, "\(response.text) \(server.log.suffix(2_000))")
                try peer.accept(response.text)
                try #require(
                    peer.run(within: 20 * Sanitizer.patience) { peer.packets.count >= 200 },
                    "\(server.log.suffix(2_000))")
                let numbers = peer.packets.map(\.header.sequenceNumber)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.distance(from: $0) == 1 })
                let session = try #require(response.header("Location"))
                #expect(http.ask("GET \(session)")?.status == 204)
                #expect(http.ask("DELETE \(session)")?.status == 200)
                #expect(peer.run { peer.isEnded })
                #expect(http.ask("GET \(session)")?.status == 404)
            }
        }

        @Test func anOfferIsRefusedWithAReason() async throws {
            let folder = try configuration()
            defer { withExtendedLifetime(folder) {} }
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                try #require(try await server.isServing())
                let http = try HTTPSocket(port: server.httpPort)
                let peer = try WebRTCPeer()
                let requests: [(String, String, String, Int, String)] = [
                    ("/cam/whep", "text/plain", peer.offer(), 415, "application/sdp"),
                    ("/cam/whep", "application/sdp", "v=0", 400, "detail"),
                    ("/cem/whep", "application/sdp", peer.offer(), 404, "did you mean /cam?"),
                    ("/api/webrtc", "application/sdp", peer.offer(), 400, "src: names the stream"),
                    ("/cam/whep", "application/sdp", peer.offer().replacing("H264", with: "VP8"), 422, "H.264"),
                ]
                for (path, type, offer, status, text) in requests {
                    let response = try #require(http.ask("POST \(path)", "Content-Type: \(type)", body: offer))
                    #expect(response.status == status && response.text.contains(text), "\(path): \(response.text)")
                }
                // Publishing needs a user, on this host, too.
                let publishing = http.ask(
                    "POST /cam/whip", "Content-Type: application/sdp", body: peer.offer("sendonly"))
                #expect(publishing?.status == 401 || publishing?.status == 403, "\(publishing?.text ?? "")")
            }
        }

        /// What OBS 30 sends (plugins/obs-webrtc/whip-output.cpp): an offer with its token, checks and a handshake, and at the end, after it
        /// has closed its connection, DELETE, whose response must be 200. It builds the session's address from the path in `Location`.
        @Test(arguments: ["obs-publishing", "obs-publishing-newer"])
        func obsPublishesByItsSequenceOfRequests(offer: String) async throws {
            let folder = try await TemporaryFolder.withCertificate()
            defer { withExtendedLifetime(folder) {} }
            let (port, tlsPort) = (try LoopbackSocket.freePort(), try LoopbackSocket.freePort())
            try folder.write(
                """
                webrtc: { serve: yes, port: \(port), singlePort: yes }
                tls: { encryption: optional, port: \(try LoopbackSocket.freePort()), certificate: \(folder.path)/certificate.pem, key: \(folder.path)/key.pem }
                http: { tlsPort: \(tlsPort) }
                users: { ann: { password: "sesame77", publish: [live/*] } }
                paths: { "live/*": { source: publish } }
                """, to: "apus.yml")
            try await withServer("--config", folder.file("apus.yml"), hasHTTP: true) { server in
                let peer = try WebRTCPeer()
                let sample = try String(contentsOfFile: Checkout.path("sdp/offers/\(offer).sdp"), encoding: .utf8)
                /// Each request has a connection of its own.
                func ask(_ request: String, password: String = "sesame77", body: String = "") throws
                    -> HTTPSocket.Response
                {
                    let http = HTTPSocket(over: try TLSStream(over: try LoopbackSocket(port: tlsPort)))
                    return try #require(
                        http.ask(
                            request, "Content-Type: application/sdp", "Authorization: Bearer ann:\(password)",
                            "User-Agent: Mozilla/5.0 (OBS-Studio/30.2.0; Linux x86_64; en-US)", body: body))
                }
                #expect(try ask("POST /live/obs/whip", password: "wrong", body: sample).status == 401)
                let created = try ask("POST /live/obs/whip", body: peer.offer(like: sample))
                try #require(created.status == 201, "\(created.text) \(server.log.suffix(2_000))")
                #expect(created.header("Content-Type") == "application/sdp" && created.text.hasPrefix("v=0\r\n"))
                let location = try #require(created.header("Location"))
                #expect(location.hasPrefix("/") && !location.contains("?"))
                try peer.accept(created.text)
                try #require(peer.run { peer.isEstablished })
                #expect(await server.logs("publisher joined"))
                peer.close()
                #expect(await server.logs("publisher left"))
                #expect(try ask("DELETE \(location)").status == 200)
            }
        }

        private func configuration() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            let port = try LoopbackSocket.freePort()
            try folder.write(
                "webrtc: { serve: yes, port: \(port), singlePort: yes }\npaths: { cam: { source: testcard } }\n",
                to: "apus.yml")
            return folder
        }
    }
}
