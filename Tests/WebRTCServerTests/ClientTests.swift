import Foundation
import Media
import RTP
import RTSP
import RTSPClient
import Synchronization
import TestSupport
import Testing
import WebRTCClient

@testable import WebRTC
@testable import WebRTCServer

/// The client of WHEP on the real server.
@Suite(.serialized)
struct ClientTests {
    /// A web server that passes offers to a server of WebRTC.
    private struct Endpoint {
        let web: WebServer

        /// - Parameter change: what the client gets instead of an answer.
        init(of webrtc: WebRTCServer.Server, _ change: @escaping @Sendable (String) -> String = { $0 }) throws {
            web = try WebServer(answering: { request in
                if request.method == "DELETE" {
                    let session = String(request.path.dropFirst("/s/".count))
                    let response = Self.response {
                        webrtc.receive(SignallingRequest(method: "DELETE"), forSession: session, $0)
                    }
                    return WebServer.Response(response.status)
                }
                guard let offer = try? Offer(parsing: Array(request.body.utf8)) else { return WebServer.Response(400) }
                let client = SessionRequest.Client(
                    endpoint: RTSP.Endpoint(address: "127.0.0.1", isLoopback: true), security: .clear,
                    userAgent: request.header("User-Agent"))
                let response = Self.response {
                    webrtc.open(
                        SessionRequest(.playback, "/cam", offer, .everything, of: client, resource: "/s/"), $0)
                }
                return WebServer.Response(
                    response.status, response.headers.map { "\($0.name): \($0.value)" },
                    body: Array(change(response.text).utf8))
            })
        }

        /// Waits for a response. The web server has a thread for each connection, which may block.
        private static func response(
            to request: (@escaping @Sendable (SignallingResponse) -> Void) -> Void
        ) -> SignallingResponse {
            let (isAnswered, box) = (DispatchSemaphore(value: 0), Box())
            request { response in
                box.response.withLock { $0 = response }
                isAnswered.signal()
            }
            isAnswered.wait()
            return box.response.withLock { $0 } ?? .problem(500, "no response")
        }

        private final class Box: Sendable {
            let response = Mutex<SignallingResponse?>(nil)
        }

        func plan() throws -> PlaybackPlan {
            try PlaybackPlan(
                HTTPAddress(isSecure: false, host: "127.0.0.1", port: UInt16(web.port), target: "/cam/whep"))
        }
    }

    /// Runs `body` with an endpoint of `/cam`, which has a keyframe.
    private func withEndpoint(
        _ change: @escaping @Sendable (String) -> String = { $0 },
        _ body: (WebRTCBroadcast, Endpoint) async throws -> Void
    ) async throws {
        try await WebRTCBroadcast.run { broadcast in
            broadcast.cam.announce([.video])
            broadcast.publishFrame(isKeyframe: true)
            let endpoint = try Endpoint(of: broadcast.webrtc, change)
            defer { endpoint.web.stop() }
            try await body(broadcast, endpoint)
        }
    }

    @Test func aStreamIsPlayedAndLeft() async throws {
        try await withEndpoint { broadcast, endpoint in
            let events = try await PlaybackWatch.run(try endpoint.plan()) { events in
                if events.isPlaying { broadcast.publishFrame() }
                return events.packets.count >= 30 && !events.reports.isEmpty
            }
            #expect(events.isConnected && events.encodings == ["H264"] && events.isPlaying)
            #expect(events.end?.isWanted == true, "\(String(describing: events.end))")
            let numbers = events.packets.map(\.number)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.distance(from: $0) == 1 })
            #expect(events.packets.prefix(3).contains(where: \.isKeyframe) && events.packets.last?.isKeyframe == false)
            #expect(events.packets.allSatisfy { !$0.payload.isEmpty && !$0.isRepair })
            #expect((events.roundTrip ?? 0) > 0)
            #expect(endpoint.web.requestLines.map { $0.prefix(6) } == ["POST /", "DELETE"])
            #expect(await broadcast.webrtc.viewerCounts().isEmpty)
        }
    }

    /// Packets that are not decrypted have all but their payload.
    @Test func aShareOfThePacketsIsDecrypted() async throws {
        try await withEndpoint { broadcast, endpoint in
            var plan = try endpoint.plan()
            plan.decryption = .oneOf(4)
            let events = try await PlaybackWatch.run(plan) { events in
                if events.isPlaying { broadcast.publishFrame() }
                return events.packets.count { $0.payload.isEmpty } >= 30
            }
            #expect(events.end?.isWanted == true, "\(String(describing: events.end))")
            let numbers = events.packets.map(\.number)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.distance(from: $0) == 1 })
            let rest = events.packets.drop { !$0.payload.isEmpty }
            #expect(rest.contains { !$0.payload.isEmpty } && rest.contains { $0.payload.isEmpty })
            // Frames have one size, so their packets have, too.
            #expect(Set(rest.map(\.byteCount)).count == 1)
        }
    }

    @Test func aServerWithAnotherCertificateIsNotPlayed() async throws {
        let other = DTLSFingerprint(sha256: [UInt8](repeating: 1, count: 32)).attributeValue
        try await withEndpoint {
            $0.replacing(/sha-256 [0-9A-F:]+/, with: other)
        } _: { _, endpoint in
            let events = try await PlaybackWatch.run(try endpoint.plan())
            #expect(events.end?.description.contains("it has another fingerprint") == true)
            #expect(!events.isPlaying && events.packets.isEmpty)
            #expect(endpoint.web.requestLines.map { $0.prefix(6) } == ["POST /", "DELETE"])
        }
    }

    @Test func theEndByTheServerIsReported() async throws {
        try await withEndpoint { broadcast, endpoint in
            let plan = try endpoint.plan()
            async let events = PlaybackWatch.run(plan)
            let isDisconnected = await eventually(within: 10) {
                guard let id = await broadcast.webrtc.viewers(at: .now()).first?.id else { return false }
                return await broadcast.webrtc.disconnect(id)
            }
            #expect(isDisconnected)
            #expect(try await events.end?.description == "the server has ended the session")
        }
    }
}
