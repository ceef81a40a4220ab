import Delivery
import Media
import RTSPClient
import RTSPServer
import Reactor
import Streams
import Synchronization
import TestSupport
import Testing

/// Sessions of a client on the event loop of the RTSP server.
@Suite(.serialized)
struct ClientServiceTests {
    /// Plays one stream, and calls `received` for each packet.
    private final class Pull: SessionOwner {
        final class State: Sendable {
            let received = Mutex<@Sendable () -> Void> {}
            let packetCount = Atomic(0)
            let isWatched = Atomic(false)
            let isStopped = Atomic(false)
        }

        private var plan: SessionPlan?
        private let state: State

        init(_ plan: SessionPlan, _ state: State) {
            (self.plan, self.state) = (plan, state)
        }

        func turn(_ sessions: Sessions, at now: MonotonicTime) -> MonotonicTime? {
            if let plan = plan.take() { _ = sessions.open(plan, at: now) }
            return state.isStopped.load(ordering: .acquiring) ? nil : .distantFuture
        }

        func session(
            _ number: SessionNumber, reached milestone: Milestone, of sessions: Sessions, at now: MonotonicTime
        ) {
            if case .playing = milestone { state.isWatched.store(true, ordering: .releasing) }
        }

        func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {
            state.packetCount.add(1, ordering: .relaxed)
            state.received.withLock(\.self)()
        }

        func session(
            _ number: SessionNumber, track: Int, reported time: NTPTime, timestamp: UInt32, arrival: MonotonicTime
        ) {}
    }

    /// A server that pulls a stream from another: what its client receives goes to its viewers.
    @Test(arguments: [SessionTransport.tcp, .udp])
    func whatAServerPullsReachesItsViewers(transport: SessionTransport) async throws {
        try await Broadcast.run { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            let state = Pull.State()
            let plan = try SessionPlan("rtsp://127.0.0.1:\(origin.port)/cam", transport: transport)
            let services: [MediaLoop.ServiceMaker] = [{ ClientService(at: $0, owner: Pull(plan, state)) }]
            try await Broadcast.run(services: services, { $0.loopCount = 1 }) { edge in
                edge.stream.announce([Broadcast.video])
                edge.publish(idr: true)
                let viewer = try RTSPSocket(port: edge.port)
                let (session, _) = try edge.setUp(on: viewer, "RTP/AVP/TCP;unicast;interleaved=0-1")
                #expect(try viewer.request("PLAY", edge.url, session).status == 200)
                #expect(await eventually(within: 10) { state.isWatched.load(ordering: .acquiring) })
                while viewer.frame(within: 0.1) != nil {}

                state.received.withLock { $0 = { edge.publish(idr: true) } }
                var last: UInt16?
                for _ in 0..<60 {
                    let before = state.packetCount.load(ordering: .relaxed)
                    origin.publish(idr: true)
                    var frame = viewer.frame(within: 5)
                    while let report = frame, report.channel != 0 { frame = viewer.frame(within: 5) }
                    #expect(state.packetCount.load(ordering: .relaxed) == before + 1)
                    let number = try #require(frame.map { UInt16($0.bytes[2]) << 8 | UInt16($0.bytes[3]) })
                    #expect(last.map { number == $0 &+ 1 } ?? true)
                    last = number
                }
            }
            // The service has said goodbye.
            #expect(await eventually(within: 5) { await origin.server.viewers(at: .now()).isEmpty })
        }
    }

    @Test func anOwnerThatStopsLeavesTheLoopRunning() async throws {
        try await Broadcast.run { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            let state = Pull.State()
            let plan = try SessionPlan("rtsp://127.0.0.1:\(origin.port)/cam", transport: .tcp)
            let services: [MediaLoop.ServiceMaker] = [{ ClientService(at: $0, owner: Pull(plan, state)) }]
            try await Broadcast.run(services: services, { $0.loopCount = 1 }) { edge in
                edge.stream.announce([Broadcast.video])
                edge.publish(idr: true)
                #expect(await eventually(within: 10) { state.isWatched.load(ordering: .acquiring) })
                state.isStopped.store(true, ordering: .releasing)
                await edge.server.turned()
                #expect(await eventually(within: 5) { await origin.server.viewers(at: .now()).isEmpty })
                let viewer = try RTSPSocket(port: edge.port)
                #expect(try viewer.request("DESCRIBE", edge.url).status == 200)
            }
        }
    }
}
