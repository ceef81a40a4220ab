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
                #expect(http.ask("DELETE \(session)")?.status == 404)
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
