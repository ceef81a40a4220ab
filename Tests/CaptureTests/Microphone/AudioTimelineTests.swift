import Media
import Testing

@testable import Capture

@Suite struct AudioTimelineTests {
    private static let rate = ClockRate.audio48k

    @Test(arguments: [-150.0, 150])
    func overADayNoTimestampDriftsFromTheCaptureTime(drift: Double) {
        // The crystal's temperature changes within the hour.
        var card = VirtualCard { drift + 10 * Self.triangle($0 / 3600) }
        var estimator = DriftEstimator(sampleRate: 48_000)
        var timeline = AudioTimeline(rate: Self.rate)
        // Does what a resampler does, without the samples.
        var made = 0.0
        var (worst, worstAtFirst, steps) = (0.0, 0.0, 0)
        for step in 0..<24 * 36_000 {
            estimator.observe(sample: card.position, capturedAt: card.stamp())
            let captured = estimator.instant(ofSample: card.position)?.nanoseconds ?? 0
            var stretch = 0
            switch timeline.correction(for: captured, after: 0, drift: estimator.drift) {
            case .begin:
                timeline.begin(at: captured)
                steps += 1
            case .stretch(let partsPerMillion): stretch = partsPerMillion
            case .insertSilence, .leaveOut: steps += 1
            }
            let next = Self.rate.nanoseconds(inTicks: timeline.next ?? 0)
            let error = abs(Double(next) - card.truth)
            if step < 200 { worstAtFirst = max(worstAtFirst, error) } else { worst = max(worst, error) }
            made += 4_800 * (1 + Double(stretch) / 1e6)
            _ = timeline.take(Int(made))
            made -= made.rounded(.down)
            card.advance(by: 4_800)
        }
        #expect(worst < 1_000_000, "within a millisecond after the first 20 s, \(worst) ns")
        #expect(worstAtFirst < 5_000_000)
        #expect(steps == 1, "it started once and never jumped")
    }

    @Test func shortGapsAreFilledAndLongOnesMakeTheTimesJump() {
        var timeline = AudioTimeline(rate: Self.rate)
        #expect(timeline.correction(for: 0, after: 0, drift: 0) == .begin)
        timeline.begin(at: 0)
        #expect(timeline.correction(for: 4_000_000, after: 0, drift: 0) == .stretch(partsPerMillion: 500))
        #expect(timeline.correction(for: 40_000_000, after: 0, drift: 0) == .insertSilence(40_000_000))
        #expect(timeline.correction(for: -40_000_000, after: 0, drift: 0) == .leaveOut(40_000_000))
        #expect(timeline.correction(for: 1_500_000_000, after: 0, drift: 0) == .begin)
    }

    @Test func receivedAudioFollowsItsCorrectedTimes() {
        var timeline = AudioTimeline(rate: Self.rate, policy: .received)
        timeline.begin(at: 0)
        #expect(timeline.correction(for: 2_000_000, after: 0, drift: 0) == .stretch(partsPerMillion: 2_000))
        #expect(timeline.correction(for: -12_000_000, after: 0, drift: 0) == .stretch(partsPerMillion: -5_000))
        #expect(timeline.correction(for: 20_000_000, after: 0, drift: 0) == .insertSilence(20_000_000))
    }

    @Test func waitingSamplesAreTakenIntoAccount() {
        var timeline = AudioTimeline(rate: Self.rate)
        timeline.begin(at: 1_000_000_000)
        #expect(timeline.correction(for: 1_010_000_000, after: 480, drift: 0) == .stretch(partsPerMillion: 0))
        #expect(timeline.take(480)?.nanoseconds == 1_000_000_000)
        #expect(timeline.correction(for: 1_010_000_000, after: 0, drift: 0) == .stretch(partsPerMillion: 0))
    }

    @Test func audioOfAFastCardIsShortened() {
        var timeline = AudioTimeline(rate: Self.rate)
        timeline.begin(at: 0)
        #expect(timeline.correction(for: 0, after: 0, drift: 123.4) == .stretch(partsPerMillion: -123))
    }

    @Test func aRestartIsNeverBeforeSentSamples() {
        var timeline = AudioTimeline(rate: Self.rate)
        timeline.begin(at: 2_000_000_000)
        _ = timeline.take(1024)
        timeline.begin(at: 0)
        #expect(timeline.next == Int64(97_024), "two seconds, and a frame")
    }

    /// A triangle wave between −1 and 1 with a period of 1.
    private static func triangle(_ phase: Double) -> Double {
        4 * abs(phase - phase.rounded()) - 1
    }
}
