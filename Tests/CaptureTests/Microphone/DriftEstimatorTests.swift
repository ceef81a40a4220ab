import Media
import TestSupport
import Testing

@testable import Capture

/// A sound card in virtual time with an inaccurate crystal and delayed timestamps.
struct VirtualCard {
    let sampleRate: Int
    /// How many millionths the clock runs fast at `seconds`.
    let drift: @Sendable (_ seconds: Double) -> Double
    /// The next sample and its true capture time in nanoseconds.
    private(set) var position: Int64 = 0
    private(set) var truth: Double
    private var random = SplitMix64(seed: 4)

    init(sampleRate: Int = 48_000, start: Double = 5e9, drift: @escaping @Sendable (_ seconds: Double) -> Double) {
        self.sampleRate = sampleRate
        self.drift = drift
        truth = start
    }

    /// A timestamp of the next sample: up to 2 ms late, and 30 ms once in a hundred.
    mutating func stamp() -> MonotonicTime {
        let late = Double.random(in: 0...2e6, using: &random)
        let isOutlier = Int.random(in: 0..<100, using: &random) == 0
        return MonotonicTime(nanoseconds: Int64(truth + (isOutlier ? 15 * late : late)))
    }

    /// Captures `count` samples.
    mutating func advance(by count: Int) {
        truth += 1e9 / Double(sampleRate) / (1 + drift(truth / 1e9) / 1e6) * Double(count)
        position += Int64(count)
    }

    /// Captures `count` samples that are never read.
    mutating func lose(_ count: Int) {
        let kept = position
        advance(by: count)
        position = kept
    }
}

@Suite struct DriftEstimatorTests {
    @Test(arguments: [-200.0, -150, -20, 0, 35, 150, 200])
    func afterTenSecondsTheEstimateIsWithinHalfAMillisecond(drift: Double) {
        var card = VirtualCard { _ in drift }
        var estimator = DriftEstimator(sampleRate: 48_000)
        var worst = 0.0
        for step in 0..<24_000 {
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            if step > 2_000 { worst = max(worst, abs(Self.error(of: estimator, card))) }
            card.advance(by: 240)
        }
        #expect(worst < 500_000)
        #expect(abs(estimator.drift - drift) < 3)
    }

    @Test func theFirstSecondIsNoWorseThanItsFirstTimestamp() {
        var card = VirtualCard { _ in 200 }
        var estimator = DriftEstimator(sampleRate: 48_000)
        for _ in 0..<400 {
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            #expect(abs(Self.error(of: estimator, card)) < 2_500_000)
            card.advance(by: 240)
        }
    }

    @Test func afterLostAudioItContinuesAtTheLearntRate() {
        var card = VirtualCard { _ in -120 }
        var estimator = DriftEstimator(sampleRate: 48_000)
        for _ in 0..<12_000 {
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            card.advance(by: 240)
        }
        card.lose(48_000)
        estimator.interrupt()
        for _ in 0..<400 {
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            card.advance(by: 240)
        }
        #expect(abs(estimator.drift + 120) < 3)
        #expect(abs(Self.error(of: estimator, card)) < 500_000)
    }

    @Test func unreportedLossIsDetectedWithinTwoSeconds() {
        var card = VirtualCard { _ in 10 }
        var estimator = DriftEstimator(sampleRate: 48_000)
        for step in 0..<12_400 {
            if step == 12_000 { card.lose(24_000) }
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            card.advance(by: 240)
        }
        #expect(abs(Self.error(of: estimator, card)) < 1_000_000)
        #expect(abs(estimator.drift - 10) < 3)
    }

    @Test func audioFasterThanRealTimeIsDetected() {
        var estimator = DriftEstimator(sampleRate: 48_000)
        for step in 0..<300 {
            estimator.observe(sample: Int64(step) * 240, capturedAt: MonotonicTime(nanoseconds: Int64(step) * 1000))
        }
        #expect(estimator.isFasterThanRealTime)
    }

    @Test func nonsensicalTimestampsNeverTrapAndAreForgotten() {
        var random = SplitMix64(seed: 9)
        var card = VirtualCard { _ in 50 }
        var estimator = DriftEstimator(sampleRate: 48_000)
        for step in 0..<8_000 {
            let isMad = step < 4_000 && step.isMultiple(of: 7)
            let stamp =
                isMad ? MonotonicTime(nanoseconds: Int64.random(in: .min ... .max, using: &random)) : card.stamp()
            estimator.observe(sample: card.position, capturedAt: stamp)
            _ = estimator.instant(ofSample: card.position)
            card.advance(by: 240)
        }
        #expect(abs(Self.error(of: estimator, card)) < 1_000_000)
    }

    /// The difference between the estimated and the true time of the card's next sample, in nanoseconds.
    private static func error(of estimator: DriftEstimator, _ card: VirtualCard) -> Double {
        let instant = estimator.instant(ofSample: card.position) ?? MonotonicTime(nanoseconds: 0)
        return Double(instant.nanoseconds) - card.truth
    }
}
