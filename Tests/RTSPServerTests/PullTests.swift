import Connecting
import Delivery
import Media
import RTSP
import RTSPClient
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

/// A server that pulls a stream from another: what it receives goes to its viewers.
@Suite(.serialized)
struct PullTests {
    /// Waits for the end of a pull on a thread of its own.
    private final class Ending: Sendable {
        let text = Mutex<String?>(nil)

        init(of pull: RTSPPull) throws {
            try startDetachedThread(name: "pull") { [self] in
                let end = pull.wait()
                text.withLock { $0 = end.map { "\($0)" } ?? "stopped" }
            }
        }
    }

    private static func pull(
        _ port: Int, _ transport: SessionTransport = .tcp, into stream: Streams.Stream
    ) throws -> RTSPPull {
        let url = try #require(RequestURL("rtsp://127.0.0.1:\(port)/cam"))
        return try Pull(
            RTSPPullPlan(SessionPlan(url, transport: transport)), into: StreamInput(into: stream, trust: .auto))
    }

    /// Each frame is with the viewers of the second server in the loop turn in which it came.
    @Test(arguments: [SessionTransport.tcp, .udp])
    func whatAServerPullsReachesItsViewers(transport: SessionTransport) async throws {
        let loops = RTSPPullLoops()
        try await Broadcast.run { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            try await Broadcast.run(services: [loops.service]) { edge in
                let pull = try Self.pull(origin.port, transport, into: edge.stream)
                let ending = try Ending(of: pull)
                loops.start(pull)
                #expect(await eventually(within: 10) { edge.stream.announcement != nil })
                #expect(edge.stream.announcement?.tracks == [Broadcast.video])
                // The tracks are known before the pull plays.
                #expect(await eventually(within: 10) { await !origin.server.viewers(at: .now()).isEmpty })
                let viewer = try RTSPSocket(port: edge.port)
                let (session, _) = try edge.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
                #expect(try viewer.request("PLAY", edge.url, session).status == 200)
                while viewer.frame(within: 0.1) != nil {}
                try origin.publishFrames(60, seenBy: viewer)
                pull.stop()
                #expect(await eventually(within: 20) { ending.text.withLock(\.self) == "stopped" })
                // The other server was told.
                #expect(await eventually(within: 20) { await origin.server.viewers(at: .now()).isEmpty })
                let published = edge.stream.published
                origin.publish(idr: true)
                await edge.server.turned()
                #expect(edge.stream.published == published)
            }
        }
    }

    /// A source may be stopped before the loop has its pull: no session may be left.
    @Test func aPullThatWasStoppedBeforeItsStartLeavesNothing() async throws {
        let loops = RTSPPullLoops()
        try await Broadcast.run { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            try await Broadcast.run(services: [loops.service]) { edge in
                let pull = try Self.pull(origin.port, into: edge.stream)
                pull.stop()
                loops.start(pull)
                #expect(pull.wait() == nil)
                await edge.server.turned()
                await edge.server.turned()
                #expect(await eventually(within: 20) { await origin.server.viewers(at: .now()).isEmpty })
                #expect(edge.stream.announcement == nil)
            }
        }
    }

    @Test func theReasonOfAnEndReachesTheSource() async throws {
        let loops = RTSPPullLoops()
        try await Broadcast.run(services: [loops.service]) { edge in
            let origin = try ScriptedServer { request, peer in
                peer.send(
                    request.method == "DESCRIBE"
                        ? request.answer(status: "404 Stream Not Found") : request.answer())
            }
            defer { origin.stop() }
            let pull = try Self.pull(origin.port, into: edge.stream)
            let ending = try Ending(of: pull)
            loops.start(pull)
            #expect(
                await eventually(within: 20) {
                    ending.text.withLock(\.self) == "the server refused DESCRIBE: 404 Stream Not Found"
                })
        }
    }

    /// Of several media, the first video and the first audio that can be received are set up.
    @Test(arguments: [
        (["VP8/90000", "H265/90000", "H264/90000"], "2", nil), (["VP8/90000", "VP9/90000"], "", "VP8, VP9"),
    ])
    func mediaInOtherCodecsAreLeftOut(_ names: [String], _ setUp: String, _ refused: String?) async throws {
        let loops = RTSPPullLoops()
        let seen = Mutex<[String]>([])
        let lines = names.enumerated().map { index, name in
            "m=video 0 RTP/AVP \(96 + index)\r\na=rtpmap:\(96 + index) \(name)\r\na=control:\(index + 1)\r\n"
        }
        let body = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=cam\r\nt=0 0\r\n" + lines.joined()
        try await Broadcast.run(services: [loops.service]) { edge in
            let origin = try ScriptedServer { request, peer in
                switch request.method {
                case "DESCRIBE": return peer.send(request.answer(body: body))
                case "SETUP":
                    let url = request.head.split(separator: " ")[1]
                    seen.withLock { $0.append(String(url.suffix(1))) }
                    return peer.send(
                        request.answer(["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]))
                default: return peer.send(request.answer())
                }
            }
            defer { origin.stop() }
            let pull = try Self.pull(origin.port, into: edge.stream)
            let ending = try Ending(of: pull)
            loops.start(pull)
            if let refused {
                #expect(
                    await eventually(within: 20) {
                        ending.text.withLock(\.self) == "the stream has no supported codec, only \(refused)"
                    })
            } else {
                #expect(await eventually(within: 20) { seen.withLock(\.self).joined() == setUp })
            }
            pull.stop()
        }
    }
}
