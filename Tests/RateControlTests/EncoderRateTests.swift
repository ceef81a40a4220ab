import Media
import TestSupport
import Testing

@testable import RateControl

private func viewers(_ kilobits: [Int64]) -> ViewerRates {
    var rates = ViewerRates()
    for rate in kilobits { rates.add(PathEstimate(rate)) }
    return rates
}

@Suite struct ViewerRatesTests {
    @Test(arguments: [(1, 0), (2, 0), (9, 0), (10, 1), (19, 1), (20, 2), (10_000, 1_000)])
    func aTenthOfTheViewersMayBeIgnored(count: Int, ignored: Int) {
        #expect(ViewerRates.ignoredCount(0.1, of: count) == ignored)
    }

    @Test func theSelectedRateIsThatOfTheSortedOnes() {
        var random = SplitMix64(seed: 1)
        for count in [1, 2, 3, 10, 11, 100, 1_000] {
            for span in [1, 5, 100_000] as [Int64] {
                let rates = (0..<count).map { _ in Int64.random(in: 1...span, using: &random) }
                var selection = viewers(rates)
                let selected = selection.select(ignoring: 0.1)
                #expect(selected?.rate == .kilobits(rates.sorted()[count / 10]))
            }
        }
    }

    @Test func noViewersSelectNothing() {
        var none = ViewerRates()
        let selected = none.select(ignoring: 0.1)
        #expect(selected == nil)
    }
}

@Suite struct EncoderRateTests {
    private let settings = EncoderRate.Settings(limits: .simulated, headerShare: 0)

    /// The bitrates after updates every 100 ms.
    private func bitrates(_ rates: [[Int64]], _ settings: EncoderRate.Settings) -> [Int64] {
        var encoder = EncoderRate(settings)
        return rates.enumerated().map { number, rates in
            var viewers = viewers(rates)
            _ = encoder.update(&viewers, at: .milliseconds(100 * Int64(number)))
            return encoder.order.bitrate.bitsPerSecond / 1000
        }
    }

    @Test func aLoneViewerCountsFully() {
        #expect(bitrates([[3_000], [1_000]], settings) == [3_000, 1_000])
    }

    @Test func oneOfTenViewersChangesNothing() {
        var random = SplitMix64(seed: 1)
        let honest = [Int64](repeating: 2_900, count: 9)
        let lies = (0..<100).map { _ in [Int64.random(in: 0...3_000, using: &random)] + honest }
        #expect(Set(bitrates(lies, settings)) == [3_000])
    }

    @Test func stepsAreLargeAndRare() {
        #expect(bitrates([[2_900], [2_860]], settings) == [3_000, 3_000])
        // The first step is taken at 100 ms, so the next one must wait until 300 ms.
        #expect(bitrates([[3_000], [2_000], [1_000], [1_000]], settings) == [3_000, 2_000, 2_000, 1_000])
        #expect(bitrates([[1_000], [1_000], [1_090], [1_100]], settings) == [1_000, 1_000, 1_000, 1_100])
    }

    @Test func theRateRisesByAtMostAQuarterInASecond() {
        let rates = bitrates([[1_000]] + Array(repeating: [3_000], count: 24), settings)
        #expect(Set(rates) == [1_000, 1_250, 1_562, 1_953])
        #expect(rates.firstIndex(of: 1_953) == 22)
    }

    @Test func climbsOfACrowdThatAreTakenBackBecomeRare() {
        var climbs: [Int] = []
        var encoder = EncoderRate(settings)
        for number in 0..<3_000 {
            let before = encoder.order.bitrate
            // Ten viewers, of whom two cannot receive more than 1 Mbit/s, but try.
            let tried: Int64 = before > .kilobits(1_000) ? 1_000 : 1_200
            var viewers = viewers([tried, tried] + Array(repeating: 3_000, count: 8))
            _ = encoder.update(&viewers, at: .milliseconds(100 * Int64(number)))
            if encoder.order.bitrate > before { climbs.append(number / 10) }
        }
        #expect(climbs == [0, 2, 8, 18, 38, 78, 138, 199, 259])
    }

    @Test func withoutViewersTheConfiguredBitrateReturns() {
        #expect(bitrates([[2_500], [], [], []], settings) == [2_500, 2_500, 3_000, 3_000])
    }

    @Test func audioAndHeadersAreNotTakenFromTheVideo() {
        var settings = settings
        (settings.audio, settings.headerShare) = (.kilobits(200), 0.2)
        #expect(settings.pathLimits.maximum == .kilobits(4_000))
        #expect(bitrates([[4_000], [2_000]], settings) == [3_000, 1_400])
    }

    @Test func theFrameRateFallsBeforeTheSizeAndRisesLater() {
        var settings = settings
        // 3 Mbit/s are 0.108 bits per pixel.
        settings.frames = FrameFormat(width: 1280, height: 720, framesPerSecond: 30)
        var encoder = EncoderRate(settings)
        var orders: [EncoderOrder] = []
        for (number, rate) in [(0, 1_500), (10, 800), (20, 300), (30, 500), (40, 600), (100, 600)] as [(Int64, Int64)] {
            var one = viewers([rate])
            _ = encoder.update(&one, at: .milliseconds(100 * number))
            if orders.last != encoder.order { orders.append(encoder.order) }
        }
        #expect(
            orders.map(\.description) == [
                "1.50 Mbit/s", "800 kbit/s, 1/2 of the frames", "300 kbit/s, 1/2 of the frames, 1/2 of the size",
                "375 kbit/s, 1/2 of the frames, 1/2 of the size", "468 kbit/s, 1/2 of the frames, 1/2 of the size",
                "585 kbit/s, 1/2 of the frames",
            ])
        for number in 101..<160 as Range<Int64> {
            var one = viewers([600])
            _ = encoder.update(&one, at: .milliseconds(100 * number))
        }
        #expect(encoder.order.description == "585 kbit/s, 1/2 of the frames")
    }
}

@Suite struct RenditionChoiceTests {
    private let ladder: [DataRate] = [.kilobits(400), .kilobits(1_000), .kilobits(3_000)]

    @Test func aViewerGoesDownAtOnceToWhatItCanReceive() {
        var choice = RenditionChoice(ladder: ladder, start: 2)
        #expect(choice.update(PathEstimate(2_800), at: .milliseconds(0)) == nil)
        #expect(choice.update(PathEstimate(1_200), at: .milliseconds(100)) == 1)
        #expect(choice.update(PathEstimate(100), at: .milliseconds(200)) == 0)
        #expect(choice.update(PathEstimate(50), at: .milliseconds(300)) == nil)
    }

    @Test func aViewerGoesUpAfterAHold() {
        var choice = RenditionChoice(ladder: ladder, start: 0)
        #expect(choice.update(PathEstimate(1_149), at: .milliseconds(0)) == nil)
        #expect(choice.update(PathEstimate(1_150), at: .milliseconds(1_000)) == nil)
        #expect(choice.update(PathEstimate(1_150), at: .milliseconds(5_900)) == nil)
        #expect(choice.update(PathEstimate(1_150), at: .milliseconds(6_000)) == 1)
    }

    @Test func anUnconstrainedViewerGetsTheBest() {
        var choice = RenditionChoice(ladder: ladder, start: 0)
        #expect(choice.update(PathEstimate(3_000, .unconstrained), at: .milliseconds(0)) == nil)
        #expect(choice.update(PathEstimate(3_000, .unconstrained), at: .milliseconds(5_000)) == 2)
    }

    @Test func failedTriesBecomeRare() {
        var choice = RenditionChoice(ladder: ladder, start: 0)
        var climbs: [Int64] = []
        for second in 0..<600 as Range<Int64> {
            if choice.update(PathEstimate(choice.current == 0 ? 1_200 : 500), at: .milliseconds(1_000 * second)) == 1 {
                climbs.append(second)
            }
        }
        let distances = zip(climbs.dropFirst(), climbs).map { $0 - $1 }
        #expect(distances == [12, 22, 42, 82, 122, 122, 122])
    }
}
