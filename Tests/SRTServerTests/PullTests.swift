import Connecting
import Delivery
import Media
import RTSP
import Reactor
import SRT
import SRTClient
import Streams
import Synchronization
import TestSupport
import Testing

@testable import SRTServer

/// A server that pulls a stream from another by SRT. Here both are one.
@Suite(.serialized)
struct PullTests {
    /// Waits for the end of a pull on a thread of its own.
    private final class Ending: Sendable {
        private let state = Mutex<(failure: SessionFailure?, isOver: Bool)>((nil, false))

        init(of pull: SRTPull) throws {
            try startDetachedThread(name: "pull") { [self] in
                let end = pull.wait()
                state.withLock { $0 = (end, true) }
            }
        }

        var isOver: Bool { state.withLock(\.isOver) }
        var failure: SessionFailure? { state.withLock(\.failure) }
    }

    private func pulling(
        _ streamID: String = "cam", by destinations: PermittedDestinations = PermittedDestinations(),
        _ body: (SRTBroadcast, Streams.Stream, SRTPull, Ending) async throws -> Void
    ) async throws {
        try await pulling(streamID, by: destinations) { broadcast, copy, pull, ending, _ in
            try await body(broadcast, copy, pull, ending)
        }
    }

    private func pulling(
        _ streamID: String = "cam", by destinations: PermittedDestinations = PermittedDestinations(),
        _ body: (SRTBroadcast, Streams.Stream, SRTPull, Ending, SRTCalls) async throws -> Void
    ) async throws {
        try await SRTBroadcast.run { broadcast in
            let calls = SRTCalls(destinations, logger: broadcast.lines.log)
            defer { calls.stop() }
            let copy = Streams.Stream(path: "/copy", epoch: .now())
            let url = try SRTURL("srt://127.0.0.1:\(broadcast.server.port)?streamid=\(streamID)&latency=20")
            let pull = try SRTPull(url, into: StreamInput(into: copy, trust: .auto))
            let ending = try Ending(of: pull)
            broadcast.cam.announce([.video])
            calls.start(pull)
            try await body(broadcast, copy, pull, ending, calls)
            pull.stop()
        }
    }

    @Test func whatAServerPullsReachesItsViewers() async throws {
        try await pulling { broadcast, copy, pull, ending in
            #expect(
                await eventually(within: 20) {
                    broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
                    return copy.announcement != nil
                })
            #expect(copy.announcement?.tracks == [.video])
            let received = UnitList(of: copy)
            for fill in 2...20 { broadcast.cam.publishFrame(fill: UInt8(fill)) }
            #expect(await eventually(within: 20) { received.fills.contains(19) })
            let frames = received.fills.drop { $0 == 1 }
            #expect(Array(frames) == Array(2..<(2 + UInt8(frames.count))))
            pull.stop()
            #expect(await eventually(within: 20) { ending.isOver })
            #expect(ending.failure == nil)
            // The other server was told.
            #expect(await eventually(within: 20) { await broadcast.server.viewerCounts()["/cam"] == nil })
        }
    }

    @Test func receptionsHaveTheStatisticsOfPulls() async throws {
        try await pulling { broadcast, _, pull, _, calls in
            #expect(
                await eventually(within: 20) {
                    broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
                    return (await calls.receptions()["/copy"]?.receivedCount ?? 0) > 20
                })
            pull.stop()
            #expect(await eventually(within: 20) { await calls.receptions().isEmpty })
        }
    }

    @Test func aRejectionIsReported() async throws {
        try await pulling("nothing") { _, _, _, ending in
            #expect(await eventually(within: 20) { ending.isOver })
            #expect(ending.failure == SessionFailure("the server has no such stream (404)", .refused))
        }
    }

    @Test func anAddressThatIsNotPermittedIsNotCalled() async throws {
        let rules = AddressRules(allowed: [], denied: [try #require(AddressBlock("127.0.0.0/8"))])
        try await pulling(by: PermittedDestinations(rules)) { _, _, _, ending in
            #expect(await eventually(within: 20) { ending.isOver })
            #expect(ending.failure?.kind == .deniedDestination)
        }
    }

    @Test func theEndOfTheServerEndsThePull() async throws {
        try await pulling { broadcast, copy, _, ending in
            #expect(
                await eventually(within: 20) {
                    broadcast.cam.publishFrame(isKeyframe: true, fill: 1)
                    return copy.announcement != nil
                })
            await broadcast.server.withdraw(broadcast.cam)
            #expect(await eventually(within: 20) { ending.isOver })
            #expect(ending.failure?.reason == "the server has ended the connection")
        }
    }
}
