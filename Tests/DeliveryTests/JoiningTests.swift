import Media
import RTP
import Streams
import Testing

@testable import Delivery

/// Viewers that join at the same frame share a fast start.
@Suite(.serialized)
struct JoiningTests {
    private let broadcast = Broadcast()

    init() {
        for number in 0..<5 { broadcast.publish(idr: number == 0, byteCount: 300) }
    }

    private func join(_ id: UInt64, mode: JoinMode = .auto, window: Int64 = 120_000_000) throws -> Viewer {
        let client = try UDPClient(usesGSO: true)
        #expect(
            broadcast.delivery.join(
                client.viewer, stream: broadcast.stream, options: JoinOptions(mode: mode, fastStartWindow: window),
                at: broadcast.now))
        return client.viewer
    }

    @Test func aFastStartIsPackagedOnceForAllViewersThatJoinAtOneFrame() throws {
        let (first, second) = (try join(1), try join(2))
        #expect(first.follower.fastStart.count == 5)
        #expect(zip(first.follower.fastStart, second.follower.fastStart).allSatisfy { $0 === $1 })
        #expect(
            first.follower.position == second.follower.position
                && first.timing.compression?.times == second.timing.compression?.times)
    }

    @Test func aViewerThatJoinsOneFrameLaterGetsThatFrameToo() throws {
        let first = try join(1)
        broadcast.publish(byteCount: 300)
        let second = try join(2)
        #expect((first.follower.fastStart.count, second.follower.fastStart.count) == (5, 6))
        #expect(second.follower.position.index == first.follower.position.index + 1)
    }

    @Test func otherOptionsGiveAnotherFastStart() throws {
        let (first, second) = (try join(1), try join(2, window: 60_000_000))
        #expect(!zip(first.follower.fastStart, second.follower.fastStart).contains { $0 === $1 })
        #expect(try join(3, mode: .keyframe).follower.fastStart.isEmpty)
    }

    @Test func aViewerThatWaitsForAKeyframeGetsTheAudioBeforeIt() throws {
        let broadcast = Broadcast(hasAudio: true)
        let video = try UDPClient(usesGSO: true, trackCount: 2)
        let audio = try UDPClient(usesGSO: true)
        let viewer = video.viewer
        viewer.setUp(TrackID(1), as: try #require(audio.viewer.tracks[0]))
        broadcast.publishAudio(byteCount: 50)
        broadcast.publish(idr: true, byteCount: 300)
        broadcast.publishAudio(byteCount: 50)
        broadcast.publish(byteCount: 300)
        let options = JoinOptions(mode: .keyframe)
        #expect(broadcast.delivery.join(viewer, stream: broadcast.stream, options: options, at: broadcast.now))
        #expect(viewer.follower.isAwaitingKeyframe && viewer.follower.position.index == 2)
    }

    @Test func aFastStartIsReleasedIfNoViewerJoinsWithIt() throws {
        let audience = try #require(broadcast.delivery.audience(of: try join(1)))
        broadcast.turn(after: 1)
        #expect(audience.sharedFastStart != nil)
        broadcast.publish(byteCount: 300)
        broadcast.turn(after: 40)
        #expect(audience.sharedFastStart == nil)
    }

    @Test func aViewerThatLeavesDoesNotEndTheFastStartOfAnother() throws {
        let (first, second) = (try join(1), try join(2))
        broadcast.delivery.pause(first)
        #expect(first.follower.fastStart.isEmpty && second.follower.fastStart.count == 5)
    }

    @Test func withoutMemoryForAFastStartAViewerStartsAtAKeyframe() throws {
        // Each frame is longer than the one before it. There is memory for two, of 1 505 and 1 806 bytes.
        let budget = MemoryBudget(maximumByteCount: 4_000)
        let crowd = Broadcast(fastStartBudget: budget)
        for number in 0..<5 { crowd.publish(idr: number == 0, byteCount: 300) }
        var viewers: [Viewer] = []
        for _ in 1...4 as ClosedRange<UInt64> {
            let client = try UDPClient(usesGSO: true)
            #expect(crowd.delivery.join(client.viewer, stream: crowd.stream, options: JoinOptions(), at: crowd.now))
            viewers.append(client.viewer)
            crowd.publish(byteCount: 300)
        }
        #expect(viewers.map(\.follower.fastStart.count) == [5, 6, 0, 0])
        #expect(viewers.map(\.follower.isAwaitingKeyframe) == [false, false, true, true])
        let held = budget.byteCount
        #expect(held > 3_000 && held <= 4_000)
        // Their memory is free again after they have left, because no viewer joins at those frames any more.
        for viewer in viewers { crowd.delivery.pause(viewer) }
        viewers = []
        #expect(budget.byteCount == 0)
    }

    @Test func aSharedFastStartCountsOnce() throws {
        let budget = MemoryBudget(maximumByteCount: 2_000)
        let crowd = Broadcast(fastStartBudget: budget)
        for number in 0..<5 { crowd.publish(idr: number == 0, byteCount: 300) }
        for _ in 1...10 as ClosedRange<UInt64> {
            let client = try UDPClient(usesGSO: true)
            #expect(crowd.delivery.join(client.viewer, stream: crowd.stream, options: JoinOptions(), at: crowd.now))
            #expect(client.viewer.follower.fastStart.count == 5)
        }
    }
}
