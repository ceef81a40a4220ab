import Delivery
import Media
import RTP
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
    /// Plays one stream.
    private final class Watch: SessionOwner {
        final class State: Sendable {
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

        func session(_ number: SessionNumber, received packet: borrowing ReceivedPacket) {}

        func session(
            _ number: SessionNumber, track: Int, received report: SenderReport, arrival: MonotonicTime
        ) {}
    }

    @Test func anOwnerThatStopsLeavesTheLoopRunning() async throws {
        try await Broadcast.run { origin in
            origin.stream.announce([Broadcast.video])
            origin.publish(idr: true)
            let state = Watch.State()
            let plan = try SessionPlan("rtsp://127.0.0.1:\(origin.port)/cam", transport: .tcp)
            let services: [MediaLoop.ServiceMaker] = [{ ClientService(at: $0, owner: Watch(plan, state)) }]
            try await Broadcast.run(services: services, { $0.loopCount = 1 }) { edge in
                edge.stream.announce([Broadcast.video])
                edge.publish(idr: true)
                #expect(await eventually(within: 10) { state.isWatched.load(ordering: .acquiring) })
                state.isStopped.store(true, ordering: .releasing)
                await edge.server.turned()
                #expect(await eventually(within: 20) { await origin.server.viewers(at: .now()).isEmpty })
                let viewer = try RTSPSocket(port: edge.port)
                #expect(try viewer.request("DESCRIBE", edge.url).status == 200)
            }
        }
    }
}
