import Media
import Testing

@testable import RateControl

/// One viewer of a path with two renditions over a reliable transport.
private struct RenditionViewer {
    /// Time and rendition of each move, in seconds.
    private(set) var moves: [(time: Double, rendition: Int)] = []
    private(set) var flow = FluidFlow(rate: 2e6)

    /// - Parameter seconds: how long the viewer watches; its link has a queue of 200 ms.
    init(_ trace: LinkTrace, seconds: Double) {
        let ladder: [DataRate] = [.kilobits(500), .kilobits(2_000)]
        var choice = RenditionChoice(ladder: ladder, start: 1)
        var estimator = PathEstimator(
            limits: RateLimits(minimum: .kilobits(100), maximum: .kilobits(2_400)), repair: .works)
        for step in 1...Int(seconds * 100) {
            let now = Double(step) / 100
            let capacity = trace.rate(at: now)
            flow.produce(at: now)
            flow.fill(0.2 * capacity)
            flow.deliver(capacity / 100, capacity: capacity, until: now, duration: 0.01) { _, _ in }
            guard step % 10 == 0 else { continue }
            let observation = Observation(flow, linkRate: capacity, at: now)
            estimator.observed(BacklogSample(observation), at: observation.instant)
            guard let rendition = choice.update(estimator.estimate, at: observation.instant) else { continue }
            flow.rate = Double(ladder[rendition].bitsPerSecond)
            moves.append((now, rendition))
        }
    }
}

@Suite struct RenditionTests {
    @Test func aViewerIsOnTheLowRenditionWithinTwoSecondsAndBackWithinThirty() throws {
        let viewer = RenditionViewer(.step, seconds: 90)
        let down = try #require(viewer.moves.first)
        #expect(down.rendition == 0 && down.time > 10 && down.time < 12)
        let up = try #require(viewer.moves.last)
        #expect(up.rendition == 1 && up.time < 70)
        #expect(viewer.flow.worstDelay < 1)
    }

    @Test func aSteadyLinkIsTriedRarely() {
        let viewer = RenditionViewer(.steady(1e6), seconds: 600)
        #expect(viewer.moves.count { $0.time > 300 && $0.rendition == 1 } <= 3)
    }
}
