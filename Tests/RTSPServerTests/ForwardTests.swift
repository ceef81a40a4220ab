import Connecting
import Delivery
import Dispatch
import Media
import RTP
import RTSP
import RTSPClient
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

/// A server that publishes its stream to another.
@Suite(.serialized)
struct ForwardTests {
    /// Keeps what becomes of a forward.
    private final class Journal: ForwardObserver {
        let beginnings = Atomic(0)
        private let list = Mutex<[ForwardEnd]>([])

        var ends: [ForwardEnd] { list.withLock(\.self) }
        var reasons: [String] { ends.map(\.description) }

        func forwardBegan(at now: MonotonicTime) { beginnings.add(1, ordering: .relaxed) }

        func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64 {
            list.withLock { $0.append(end) }
            return 50
        }

        func hasBegun(_ count: Int = 1) async -> Bool {
            await eventually(within: 10) { beginnings.load(ordering: .relaxed) >= count }
        }
    }

    /// Runs two servers: `origin` forwards its stream to a path for publishers of `edge`.
    private func forwarding(
        over transport: SessionTransport = .tcp,
        _ body: (_ origin: Broadcast, _ edge: Broadcast, Streams.Stream, Forward, Journal) async throws -> Void
    ) async throws {
        let loops = ForwardLoops()
        try await Broadcast.run { edge in
            let point = PublishingPoint(into: Streams.Stream(path: "/copy", epoch: .now()))
            edge.directory.insert(point.stream, options: PathOptions(title: "copy"), publishing: point)
            try await Broadcast.run(services: [loops.service]) { origin in
                let (forward, journal) = try start("copy", at: edge.port, transport, of: origin, on: loops)
                try await body(origin, edge, point.stream, forward, journal)
                forward.stop()
            }
        }
    }

    private func start(
        _ path: String, at port: Int, _ transport: SessionTransport = .tcp, of origin: Broadcast,
        on loops: ForwardLoops, after former: Forward? = nil
    ) throws -> (Forward, Journal) {
        let journal = Journal()
        let url = try #require(RequestURL("rtsp://127.0.0.1:\(port)/\(path)"))
        let forward = Forward(
            RTSPForwardPlan(SessionPlan(url, transport: transport), title: "cam"), of: origin.stream, holdsStream: true,
            observer: journal, at: .now())
        loops.start(forward, after: former)
        return (forward, journal)
    }

    /// Each frame is with the viewers of the other server, without a gap.
    @Test(arguments: [SessionTransport.tcp, .udp])
    func whatAServerForwardsReachesTheOthersViewers(transport: SessionTransport) async throws {
        try await forwarding(over: transport) { origin, edge, copy, forward, journal in
            #expect(forward.status.state == .waiting)
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            #expect(await journal.hasBegun())
            origin.publish(idr: true)
            #expect(await eventually(within: 10) { copy.announcement != nil })
            #expect(copy.announcement?.tracks == [Broadcast.video])
            let viewer = try RTSPSocket(port: edge.port)
            let url = "rtsp://127.0.0.1/copy"
            let set = try viewer.request("SETUP", "\(url)/track1", ["Transport": "RTP/AVP/TCP;unicast;interleaved=0-1"])
            let session = ["Session": set.header("Session")?.split(separator: ";").first.map(String.init) ?? ""]
            #expect(try viewer.request("PLAY", url, session).status == 200)
            while viewer.frame(within: 0.1) != nil {}
            // On a busy machine, the first keyframe may be too old when the other server has taken the stream.
            let dropped = forward.status.droppedUnits
            try origin.publishFrames(60, seenBy: viewer)
            #expect(await eventually(within: 20) { forward.status.packets >= 60 })
            let status = forward.status
            #expect(status.state == .forwarding && status.droppedUnits == dropped && status.reconnects == 0)
            #expect(status.bytes >= 60 * 1_000)
            forward.stop()
            let published = copy.published
            #expect(await eventually(within: 20) { await origin.server.viewers(at: .now()).isEmpty })
            await edge.server.turned()
            origin.publish(idr: true)
            await edge.server.turned()
            #expect(copy.published == published)
        }
    }

    @Test func otherTracksAreAnnouncedAgain() async throws {
        try await forwarding { origin, _, copy, forward, journal in
            origin.stream.announce([Broadcast.video])
            #expect(await journal.hasBegun())
            origin.stream.announce([Broadcast.video, Broadcast.audio])
            origin.publish(idr: true)
            #expect(await journal.hasBegun(2))
            #expect(journal.reasons == ["the stream's tracks have changed"])
            #expect(forward.status.state == .forwarding && forward.status.reconnects == 1)
        }
    }

    /// The forward itself makes the source of an on-demand stream run.
    @Test func aForwardUsesTheStreamUntilItEnds() async throws {
        let stream = Streams.Stream(path: "/x", epoch: .now())
        let plan = RTSPForwardPlan(
            SessionPlan(try #require(RequestURL("rtsp://127.0.0.1/x")), transport: .tcp), title: "x")
        var forward: Forward? = Forward(plan, of: stream, holdsStream: true, observer: Journal(), at: .now())
        #expect(stream.demand.isNeeded && forward != nil)
        forward = Forward(plan, of: stream, holdsStream: false, observer: Journal(), at: .now())
        #expect(!stream.demand.isNeeded && forward != nil)
    }

    /// A silent source is not announced for ever, and its next frame is.
    @Test func aSilentSourceIsWaitedFor() async throws {
        try await forwarding { origin, _, _, forward, journal in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            #expect(await journal.hasBegun())
            #expect(await eventually(within: 15) { forward.status.state == .waiting })
            #expect(journal.reasons == ["the source has published nothing for 8 seconds"])
            origin.publish(idr: true)
            #expect(await journal.hasBegun(2))
        }
    }

    /// A forward with other settings follows the former one, which the server has forgotten by then.
    @Test func aForwardWaitsForTheEndOfItsPredecessor() async throws {
        let loops = ForwardLoops()
        let methods = Mutex<[String]>([])
        // One connection after the other is served: a second one waits for the end of the first.
        let server = try ScriptedServer { request, peer in
            methods.withLock { $0.append(request.method) }
            return peer.send(Self.accepting(request))
        }
        defer { server.stop() }
        try await Broadcast.run(services: [loops.service]) { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            let (first, journal) = try start("x", at: server.port, of: origin, on: loops)
            #expect(await journal.hasBegun())
            first.stop()
            let (second, next) = try start("x", at: server.port, of: origin, on: loops, after: first)
            #expect(await next.hasBegun())
            let sequence = ["OPTIONS", "ANNOUNCE", "SETUP", "RECORD"]
            #expect(methods.withLock(\.self) == sequence + ["TEARDOWN"] + sequence)
            #expect(next.ends.isEmpty)
            second.stop()
        }
    }

    // MARK: Servers that a test plays

    /// The answers of a server that takes the stream, over TCP.
    private static func accepting(_ request: ScriptedServer.Request) -> [UInt8] {
        switch request.method {
        case "OPTIONS": request.answer(["Public: ANNOUNCE, RECORD, GET_PARAMETER"])
        case "SETUP": request.answer(["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=4-5"])
        default: request.answer(["Session: 1"])
        }
    }

    /// Runs a forward to a server that answers as `script` says.
    private func forwarding(
        to script: @escaping @Sendable (ScriptedServer.Request, ScriptedServer.Peer) -> Bool,
        _ body: (Broadcast, Forward, Journal) async throws -> Void
    ) async throws {
        let loops = ForwardLoops()
        let server = try ScriptedServer(script)
        defer { server.stop() }
        try await Broadcast.run(services: [loops.service]) { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            let (forward, journal) = try start("x?token=a", at: server.port, of: origin, on: loops)
            try await body(origin, forward, journal)
            forward.stop()
        }
    }

    @Test func theStreamIsDescribedAsToViewers() async throws {
        let requests = Mutex<[ScriptedServer.Request]>([])
        try await forwarding { request, peer in
            requests.withLock { $0.append(request) }
            return peer.send(Self.accepting(request))
        } _: { _, _, journal in
            #expect(await journal.hasBegun())
            let (announce, setUp) = requests.withLock { ($0[1], $0[2]) }
            #expect(announce.head.hasPrefix("ANNOUNCE rtsp://127.0.0.1:"))
            let expected = [
                "s=cam", "m=video 0 RTP/AVP 96", "a=rtpmap:96 H264/90000", "packetization-mode=1", "a=control:track1",
                "o=- ", "IN IP4 127.0.0.1",
            ]
            for part in expected { #expect(announce.body.contains(part), "\(announce.body)") }
            #expect(setUp.head.contains("/x?token=a/track1 RTSP/1.0"))
        }
    }

    @Test func aRefusalIsTriedAgainWhenTheServerSays() async throws {
        try await forwarding { request, peer in
            peer.send(
                request.method == "ANNOUNCE"
                    ? request.answer(["Retry-After: 7"], status: "503 Too Many Streams") : Self.accepting(request))
        } _: { _, forward, journal in
            // The test's observer lets no more than 50 ms pass.
            #expect(await eventually(within: 20) { journal.ends.count >= 3 })
            let end = try #require(journal.ends.first)
            #expect(end.description == "the server refused ANNOUNCE: 503 Too Many Streams")
            guard case .failed(let failure) = end.cause else {
                Issue.record("\(end)")
                return
            }
            #expect(failure.kind == .other && failure.retrySeconds == 7)
            let status = forward.status
            #expect(status.state == .failing && status.reconnects >= 3)
            #expect(status.lastReason == end.description)
        }
    }

    @Test func aServerMayAskForAKeyframe() async throws {
        let request = Compound(
            report: ReceiverReport(ssrc: SSRC(1)), canonicalName: "x",
            feedback: [Feedback(sender: SSRC(1), request: .pictureLossIndication(media: SSRC(2)))]
        ).encoded()
        try await forwarding { received, peer in
            guard received.method == "RECORD" else { return peer.send(Self.accepting(received)) }
            let frame = [0x24, 5, UInt8(request.count >> 8), UInt8(request.count & 0xFF)] + request
            return peer.send(Self.accepting(received) + frame)
        } _: { origin, _, journal in
            #expect(await journal.hasBegun())
            // The forward itself begins with the keyframe that exists.
            #expect(await eventually(within: 20) { origin.source.requests.load(ordering: .relaxed) == 1 })
        }
    }

    /// To another server too; the origin never learns the other's user and password from the redirection.
    @Test func aRedirectionIsFollowed() async throws {
        let requests = Mutex<[ScriptedServer.Request]>([])
        let other = try ScriptedServer { request, peer in
            requests.withLock { $0.append(request) }
            return peer.send(Self.accepting(request))
        }
        defer { other.stop() }
        let location = "Location: rtsp://eve:secret@127.0.0.1:\(other.port)/other"
        try await forwarding { request, peer in
            peer.send(
                request.method == "ANNOUNCE" ? request.answer([location], status: "302 Found") : Self.accepting(request)
            )
        } _: { _, forward, journal in
            #expect(await journal.hasBegun())
            #expect(journal.ends.isEmpty && forward.status.reconnects == 0)
            let announce = requests.withLock { $0[1].head }
            #expect(announce.hasPrefix("ANNOUNCE rtsp://127.0.0.1:\(other.port)/other RTSP/1.0"))
        }
    }

    @Test func redirectionsInACircleEnd() async throws {
        let port = Mutex(0)
        let redirecting: @Sendable (ScriptedServer.Request, ScriptedServer.Peer) -> Bool = { request, peer in
            let location = "Location: rtsp://127.0.0.1:\(port.withLock(\.self))/x"
            return peer.send(
                request.method == "ANNOUNCE" ? request.answer([location], status: "302 Found") : Self.accepting(request)
            )
        }
        let other = try ScriptedServer(redirecting)
        defer { other.stop() }
        port.withLock { $0 = other.port }
        try await forwarding(to: redirecting) { _, _, journal in
            #expect(
                await eventually(within: 20) { journal.reasons.contains { $0.contains("redirects again and again") } })
        }
    }

    /// Answers do not queue without bound for a server that sends requests and reads nothing.
    @Test func aServerThatReadsNoAnswersIsLeft() async throws {
        try await forwarding { request, peer in
            guard peer.send(Self.accepting(request)) else { return false }
            guard request.method == "RECORD" else { return true }
            let flood = Array(String(repeating: "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", count: 1_000).utf8)
            while peer.send(flood) {}
            return false
        } _: { origin, _, journal in
            // Some thousand requests fill the buffers of the kernel first, which takes a debug build on a busy machine half a minute.
            // A source that is silent for so long would end the forward before.
            let isLeft = await eventually(within: 120) {
                origin.publish(idr: true)
                return !journal.ends.isEmpty
            }
            #expect(isLeft)
            #expect(journal.reasons.first == "the server does not read what is sent to it")
        }
    }

    /// A server that reads nothing costs frames, not memory, and is given up after a while.
    @Test func aSlowServerSkipsFrames() async throws {
        let isOver = DispatchSemaphore(value: 0)
        try await forwarding { request, peer in
            guard peer.send(Self.accepting(request)) else { return false }
            if request.method == "RECORD" { isOver.wait() }
            return true
        } _: { origin, forward, journal in
            defer { isOver.signal() }
            #expect(await journal.hasBegun())
            let hasSkipped = await eventually(within: 20) {
                for _ in 0..<50 { origin.publish(idr: true) }
                return forward.status.droppedUnits > 0
            }
            #expect(hasSkipped, "\(forward.status)")
        }
    }
}
