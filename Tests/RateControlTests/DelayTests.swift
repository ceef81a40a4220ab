import TestSupport
import Testing

@testable import RateControl

@Suite struct DelayTrendTests {
    /// The trend after frames every 33 ms, the n-th of which is delayed by `delay(n)` milliseconds.
    private func usage(frames: Int = 100, _ delay: (Int) -> Double) -> DelayTrend.Usage {
        var trend = DelayTrend()
        for number in 0..<frames {
            let sent = Int64(number) * 33_000_000
            for packet in 0..<4 as Range<Int64> {
                let arrival = 5_000_000_000 + sent + Int64(delay(number) * 1e6) + packet * 2_000_000
                trend.received(sent: sent + packet * 1_000, arrival: arrival)
            }
        }
        return trend.usage
    }

    @Test func aSteadyDelayIsNormal() {
        #expect(usage { _ in 20 } == .normal)
    }

    @Test func noiseIsNormal() {
        var random = SplitMix64(seed: 1)
        let noise = (0..<300).map { _ in Double.random(in: 0...8, using: &random) }
        #expect(usage(frames: 300) { noise[$0] } == .normal)
    }

    @Test func aGrowingDelayIsOveruse() {
        #expect(usage { Double(max(0, $0 - 60)) * 8 } == .overuse)
    }

    @Test func aShrinkingDelayIsUnderuse() {
        #expect(usage { 800 - Double(max(0, $0 - 60)) * 8 } == .underuse)
    }

    @Test func aLargeFrameIsNoOveruse() {
        #expect(usage(frames: 92) { $0 == 90 ? 30 : 0 } != .overuse)
    }
}

@Suite struct QueueDelayTests {
    @Test func theDifferenceOfTheClocksDoesNotMatter() {
        for origin in [0, -40_000_000_000, 1 << 60] as [Int64] {
            var queue = QueueDelay()
            for number in 0..<60 as Range<Int64> {
                let delay: Int64 = number < 30 ? 10_000_000 : 150_000_000
                queue.received(sent: number * 33_000_000, arrival: origin + number * 33_000_000 + delay)
            }
            #expect(queue.standing == 140_000_000)
        }
    }

    @Test func aLongerRouteIsNoQueueAfterRebasing() {
        var queue = QueueDelay()
        for number in 0..<60 as Range<Int64> {
            queue.received(sent: number * 33_000_000, arrival: number * 33_000_000 + (number < 30 ? 0 : 150_000_000))
        }
        queue.rebase()
        for number in 60..<90 as Range<Int64> {
            queue.received(sent: number * 33_000_000, arrival: number * 33_000_000 + 150_000_000)
        }
        #expect(queue.standing == 0)
    }
}

@Suite struct MeasuredRateTests {
    @Test func theArrivalRateIsThatOfTheLastIntervals() {
        var arrivals = ArrivalRate()
        #expect(arrivals.rate == nil)
        for time in -50..<100 as Range<Int64> {
            arrivals.received(byteCount: 1250, arrival: time * 10_000_000)
        }
        #expect(arrivals.rate == .kilobits(1_000))
    }

    @Test func theBurstRateIsTheLeastOfFiveFrames() {
        var bursts = BurstRate()
        for frame in 0..<11 as Range<Int64> {
            let spacing: Int64 = frame == 7 ? 5_000_000 : 2_500_000
            for packet in 0..<4 as Range<Int64> {
                bursts.received(1250, sent: frame * 33_000_000, arrival: frame * 33_000_000 + packet * spacing)
            }
            if frame == 5 { #expect(bursts.rate == .kilobits(4_000)) }
        }
        #expect(bursts.rate == .kilobits(2_000))
        // The slow burst does not lower the bound, until the others are forgotten.
        #expect(bursts.bound(at: 330_000_000) == .kilobits(4_000))
        #expect(bursts.bound(at: 15_200_000_000) == .kilobits(2_000))
        #expect(bursts.bound(at: 16_000_000_000) == nil)
    }

    @Test func theLossOfASecondIsToldOnce() {
        var history = FeedbackHistory()
        for number in 0..<201 as Range<Int64> {
            let sent = number * 10_000_000
            history.received(PacketFeedback(sent: sent, arrival: number % 4 == 0 ? nil : sent, byteCount: 1250))
            guard number == 100 || number == 200 else {
                #expect(history.takeSecond() == nil)
                continue
            }
            #expect(history.takeSecond() == .init(lossShare: 0.25, delivered: .kilobits(750)))
        }
    }
}
