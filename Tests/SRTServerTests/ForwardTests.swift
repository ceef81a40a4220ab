import Connecting
import Delivery
import Media
import SRT
import Streams
import TestSupport
import Testing

@testable import SRTClient
@testable import SRTServer

/// Sessions of forwards with an SRT server, and the library that they need.
@Suite(.serialized)
struct ForwardTests {
    private struct Observer: ForwardObserver {
        func forwardBegan(at now: MonotonicTime) {}
        func forwardEnded(_ end: ForwardEnd, startedAt start: MonotonicTime, at now: MonotonicTime) -> Int64 { 0 }
    }

    private func session(
        by plan: SRTForwardPlan, of stream: Streams.Stream, policy: SlowViewerPolicy = SlowViewerPolicy()
    ) -> (SRTForwardSession, Forward) {
        let forward = Forward(plan, of: stream, holdsStream: false, observer: Observer(), at: .now())
        return (SRTForwardSession(by: plan, of: forward, policy: policy, at: .now()), forward)
    }

    /// Sessions begin on media loops.
    @Test func aSessionDoesNotLoadTheLibrary() throws {
        let calls = SRTCalls(logger: LoggedLines().log)
        let plan = SRTForwardPlan(try SRTURL("srt://127.0.0.1:9?streamid=live"), by: calls)
        let (session, _) = session(by: plan, of: .withVideo())
        #expect(session.end?.description == "libsrt is not loaded")
        #expect(!calls.isLoaded)
        #expect(throws: SRTFailure.self) { try calls.loaded() }
        let loop = try calls.load()
        #expect(calls.isLoaded)
        #expect(try calls.loaded() === loop && calls.load() === loop)
        #expect(try calls.start() === loop)
        calls.stop()
        #expect(throws: SRTFailure(description: "SRT has stopped")) { try calls.loaded() }
        #expect(throws: SRTFailure(description: "SRT has stopped")) { try calls.load() }
    }

    @Test func aPlanHasTheStatisticsOfThePresentSession() async throws {
        try await SRTBroadcast.run { broadcast in
            let calls = SRTCalls(logger: broadcast.lines.log)
            defer { calls.stop() }
            try calls.start()
            let url = try SRTURL("srt://127.0.0.1:\(broadcast.server.port)?streamid=publish:live&latency=20")
            let plan = SRTForwardPlan(url, by: calls)
            let source = Streams.Stream.withVideo()
            let (session, forward) = session(by: plan, of: source)
            #expect(plan.statistics == nil)
            #expect(
                await eventually(within: 20) {
                    source.publishFrame(isKeyframe: true, fill: 1)
                    session.deadlinePassed(at: .now())
                    return (plan.statistics?.sentCount ?? 0) > 20
                })
            #expect(plan.statistics?.sendLatency == 20_000_000)
            session.deadlinePassed(at: session.nextDeadline)
            #expect(forward.status.state == .forwarding && forward.status.packets > 20)
            session.close(at: .now())
            #expect(plan.statistics == nil)
        }
    }

    /// By default, the connection would break first.
    @Test func aServerThatTakesNothingEndsTheSessionAfterTheConfiguredTime() async throws {
        try await SRTBroadcast.run { broadcast in
            let calls = SRTCalls(logger: broadcast.lines.log)
            defer { calls.stop() }
            try calls.start()
            let relay = try SlowRelay(to: broadcast.target("").address)
            defer { relay.stop() }
            let url = try SRTURL("srt://127.0.0.1:\(relay.address.port)?streamid=publish:live&latency=20")
            let source = Streams.Stream.withVideo()
            let policy = SlowViewerPolicy(maximumLag: 100_000_000, maximumStall: 500_000_000)
            let (session, forward) = session(by: SRTForwardPlan(url, by: calls), of: source, policy: policy)
            defer { session.close(at: .now()) }
            func isReached(_ condition: () -> Bool) async -> Bool {
                await eventually(within: 20) {
                    source.publishFrame(isKeyframe: true, fill: 1)
                    session.deadlinePassed(at: .now())
                    return condition()
                }
            }
            #expect(await isReached { forward.status.packets > 20 })
            relay.pass(bitsPerSecond: 1)
            #expect(await isReached { session.end != nil })
            #expect(session.end?.description == ForwardEnd(.stalled).description)
        }
    }
}
