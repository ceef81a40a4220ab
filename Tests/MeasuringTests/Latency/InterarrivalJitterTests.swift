import Media
import RTP
import TestSupport
import Testing

@testable import Measuring

@Suite struct InterarrivalJitterTests {
    private func instant(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func regularPacketsHaveNoJitter() {
        var jitter = InterarrivalJitter(rate: .video)
        for number in 0..<100 as Range<UInt32> {
            let arrival = MonotonicTime(nanoseconds: 5 + 100_000_000 * Int64(number))
            let difference = jitter.received(timestamp: (UInt32.max - 20_000) &+ 9_000 &* number, arrival: arrival)
            #expect(difference == (number == 0 ? nil : 0))
        }
        #expect(jitter.nanoseconds == 0)
    }

    @Test func theEstimateChangesByASixteenthOfTheDifference() {
        var jitter = InterarrivalJitter(rate: .video)
        #expect(jitter.received(timestamp: 0, arrival: instant(0)) == nil)
        #expect(jitter.received(timestamp: 900, arrival: instant(26)) == 16_000_000)
        #expect(jitter.nanoseconds == 1_000_000)
        #expect(jitter.received(timestamp: 1_800, arrival: instant(20)) == -16_000_000)
        #expect(jitter.nanoseconds == 1_937_500)
    }

    /// Receiver reports contain the jitter in ticks.
    @Test func theEstimateEqualsThatOfReceiverReports() {
        var random = SplitMix64(seed: 3550)
        var jitter = InterarrivalJitter(rate: .video)
        var statistics = ReceptionStatistics(clockRate: .video)
        for number in 0..<2_000 as Range<UInt32> {
            let late = Int64.random(in: 0...20_000_000, using: &random)
            let arrival = MonotonicTime(nanoseconds: Int64(number) * 10_000_000 + late)
            // The statistics accept a source from its second packet on.
            if number > 0 { jitter.received(timestamp: number * 900, arrival: arrival) }
            statistics.received(
                SequenceNumber(UInt16(number)), rtpTimestamp: number * 900, arrival: arrival)
        }
        let ticks = jitter.nanoseconds * 90_000 / 1e9
        #expect((ticks - Double(statistics.jitter)).magnitude < 3)
    }

    @Test func extremeTimesCauseNoTrap() {
        var jitter = InterarrivalJitter(rate: .video)
        for arrival in [Int64.min, .max, 0, -1, .max, .min] {
            jitter.received(timestamp: .random(in: .min ... .max), arrival: MonotonicTime(nanoseconds: arrival))
        }
        #expect(jitter.nanoseconds.isFinite)
    }
}

@Suite struct DistributionTests {
    @Test func percentilesAreMeasuredValues() {
        let distribution = Distribution((1...1_000).map { Int64($0) }.shuffled())
        #expect(distribution.percentile(0) == 1)
        #expect(distribution.percentile(50) == 500)
        #expect(distribution.percentile(99) == 990)
        #expect(distribution.percentile(99.9) == 999)
        #expect(distribution.percentile(99.91) == 1_000)
        #expect(distribution.percentile(100) == 1_000)
        #expect(distribution.mean == 500.5)
    }

    @Test func aSingleValueIsEveryPercentile() {
        let distribution = Distribution([-7])
        #expect([0, 1, 50, 100, -5, 200].allSatisfy { distribution.percentile($0) == -7 })
    }

    @Test func anEmptyDistributionHasNoPercentiles() {
        #expect(Distribution([]).percentile(50) == nil)
        #expect(Distribution([]).mean == nil)
        #expect(Distribution([]).summary == nil)
    }

    /// A wrong clock must be visible in the result.
    @Test func negativeValuesAreKept() {
        #expect(Distribution([-2_000_000, 1_000_000]).summary?.p50 == -2)
    }
}
