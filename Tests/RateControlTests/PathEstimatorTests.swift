import Media
import TestSupport
import Testing

@testable import RateControl

@Suite struct BacklogTests {
    private var estimator = PathEstimator(limits: .simulated, repair: .works)

    @Test func aPathWithoutLagIsUnconstrained() {
        var estimator = estimator
        for time in 0..<100 as Range<Int64> {
            estimator.observed(.lag(0, delivering: 500), at: .milliseconds(100 * time))
        }
        #expect(estimator.estimate == PathEstimate(3_000, .unconstrained))
    }

    @Test(arguments: [(100, 3_000), (101, 850), (300, 850), (301, 600)] as [(Int64, Int64)])
    func theRateAfterALagIsAShareOfWhatWasDelivered(lag: Int64, kilobits: Int64) {
        var estimator = estimator
        estimator.observed(.lag(lag, delivering: 1_000), at: .milliseconds(0))
        #expect(estimator.estimate.rate == .kilobits(kilobits))
        if kilobits < 3_000 { #expect(estimator.estimate.reason.description == "lag \(lag) ms") }
    }

    @Test func theSameDeliveredRateIsNotCutTwice() {
        var estimator = estimator
        for time in 0..<8 as Range<Int64> {
            estimator.observed(.lag(200, delivering: 1_000), at: .milliseconds(100 * time))
        }
        #expect(estimator.estimate.rate == .kilobits(850))
    }

    @Test func aLowerMeasurementCutsFurther() {
        var estimator = estimator
        estimator.observed(.lag(120, delivering: 2_000), at: .milliseconds(0))
        estimator.observed(.lag(200, delivering: 1_000), at: .milliseconds(100))
        #expect(estimator.estimate.rate == .kilobits(850))
    }

    @Test func theRateStaysForASecondAndThenRisesToJustBelowTheLimit() {
        var estimator = estimator
        estimator.observed(.lag(400, delivering: 1_000), at: .milliseconds(0))
        estimator.observed(.lag(0, delivering: 1_000), at: .milliseconds(900))
        #expect(estimator.estimate == PathEstimate(600, .draining))
        for time in 10...40 as ClosedRange<Int64> {
            estimator.observed(.lag(0, delivering: 1_000), at: .milliseconds(100 * time))
        }
        #expect(estimator.estimate == PathEstimate(900, .belowLimit))
    }

    @Test func afterAWaitMoreIsTriedAndThenTheRateGrows() {
        var estimator = estimator
        estimator.observed(.lag(200, delivering: 1_000), at: .milliseconds(0))
        var reasons: [RateReason] = []
        for time in 1...300 as ClosedRange<Int64> {
            estimator.observed(.lag(0, delivering: 1_000), at: .milliseconds(100 * time))
            if reasons.last != estimator.estimate.reason { reasons.append(estimator.estimate.reason) }
        }
        #expect(reasons == [.draining, .recovering, .belowLimit, .probing, .growing, .unconstrained])
        #expect(estimator.estimate.rate == .kilobits(3_000))
    }

    @Test func aSlowPlayerDoesNotSlowTheStream() {
        var estimator = estimator
        var sample = BacklogSample.lag(900, delivering: 100)
        sample.receiverWindowLimitedShare = 0.9
        estimator.observed(sample, at: .milliseconds(0))
        #expect(estimator.estimate == PathEstimate(3_000, .slowPlayer))
    }

    @Test func aQueueThatAnotherConnectionFillsIsNoCongestion() {
        var estimator = estimator
        var sample = BacklogSample.lag(0, delivering: 1_000)
        (sample.roundTripTime, sample.leastRoundTripTime) = (250_000_000, 20_000_000)
        estimator.observed(sample, at: .milliseconds(0))
        #expect(estimator.estimate.reason == .unconstrained)
        (sample.lag, sample.isApplicationLimited) = (10_000_000, false)
        estimator.observed(sample, at: .milliseconds(100))
        #expect(estimator.estimate.reason == .lag(milliseconds: 240))
    }

    @Test func aSilenceIsNoReasonToGrow() {
        var estimator = estimator
        estimator.observed(.lag(200, delivering: 100), at: .milliseconds(0))
        estimator.observed(.lag(0, delivering: 100), at: .milliseconds(1_000))
        let before = estimator.estimate.rate
        estimator.observed(.lag(0, delivering: 100), at: .milliseconds(3_600_000))
        #expect(estimator.estimate.rate <= before * 1.09)
    }
}

@Suite struct LossTests {
    private func estimator(_ repair: Repair = .works) -> PathEstimator {
        PathEstimator(limits: .simulated, repair: repair)
    }

    @Test func lossAloneIsNoCongestionIfRepairWorks() {
        var estimator = estimator()
        for second in 0..<60 as Range<UInt32> {
            estimator.receivedNACK(packetCount: 8)
            estimator.received(
                LossReport(highest: 200 * second, lost: 0), at: .milliseconds(1000 * Int64(second)))
        }
        #expect(estimator.estimate == PathEstimate(3_000, .unconstrained))
    }

    @Test func manyLossesAreCongestionEvenIfTheyAreRepaired() {
        var estimator = estimator()
        estimator.received(LossReport(highest: 0, lost: 0), at: .milliseconds(0))
        estimator.receivedNACK(packetCount: 60)
        estimator.received(LossReport(highest: 300, lost: 30), at: .milliseconds(1_000))
        // 270 packets of 1250 bytes arrived in the second: 2.7 Mbit/s.
        #expect(estimator.estimate == PathEstimate(2_295, .loss(percent: 30)))
    }

    @Test(arguments: [(50, true), (20, false)] as [(Int64, Bool)])
    func fewLossesAreCongestionIfTheDelayRises(rise: Int64, isCongestion: Bool) {
        var estimator = estimator()
        estimator.received(LossReport(highest: 0, lost: 0, roundTripMilliseconds: 20), at: .milliseconds(0))
        estimator.received(
            LossReport(highest: 100, lost: 5, roundTripMilliseconds: 20 + rise), at: .milliseconds(1_000))
        #expect((estimator.estimate.reason == .loss(percent: 5)) == isCongestion)
    }

    @Test func aStartedAgainReceiverGivesNoRate() {
        var estimator = estimator(.none)
        estimator.received(LossReport(highest: 10_000, lost: 9_000), at: .milliseconds(0))
        estimator.received(LossReport(highest: 10, lost: 0), at: .milliseconds(1_000))
        #expect(estimator.estimate == PathEstimate(3_000, .unconstrained))
    }
}

@Suite struct TransportWideFeedbackTests {
    /// Tells the estimator of 30 frames per second. Each frame has four packets of 500 bytes, and the link passes 1 Mbit/s.
    ///
    /// - Parameters:
    ///   - delay: how much later all packets arrive, in milliseconds.
    ///   - repairByteCount: what is sent again with each frame.
    private func receive(
        seconds: Range<Int64>, delay: Int64 = 0, repairByteCount: Int = 0, _ estimator: inout PathEstimator,
        _ check: (PathEstimate) -> Void = { _ in }
    ) {
        for frame in seconds.lowerBound * 30..<seconds.upperBound * 30 {
            let sent = frame * 33_333_333
            if repairByteCount > 0 {
                estimator.retransmitted(byteCount: repairByteCount, at: MonotonicTime(nanoseconds: sent))
            }
            for packet in 1...4 as ClosedRange<Int64> {
                estimator.received(
                    PacketFeedback(sent: sent, arrival: sent + delay * 1_000_000 + packet * 4_000_000, byteCount: 500))
            }
            estimator.endOfFeedback(at: MonotonicTime(nanoseconds: sent + 40_000_000))
            check(estimator.estimate)
        }
    }

    @Test func aViewerOfRenditionsIsEstimatedBelowWhatBurstsShowForAMinute() {
        var estimator = PathEstimator(limits: .simulated, repair: .works, hasRenditions: true)
        receive(seconds: 0..<10, &estimator)
        receive(seconds: 10..<11, delay: 150, &estimator)
        receive(seconds: 11..<70, &estimator) { #expect($0.rate <= .kilobits(900)) }
        #expect(estimator.estimate == PathEstimate(900, .belowLimit))
        receive(seconds: 70..<100, &estimator)
        #expect(estimator.estimate.rate == .kilobits(3_000))
    }

    @Test func aStreamThatFollowsTriesAFifthMore() {
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        receive(seconds: 0..<10, &estimator)
        receive(seconds: 10..<11, delay: 150, &estimator)
        receive(seconds: 11..<70, &estimator) { #expect($0.rate <= .kilobits(1_200)) }
        #expect(estimator.estimate.rate == .kilobits(1_200))
    }

    @Test func whatWasSentAgainHasBeenDeliveredToo() {
        var plain = PathEstimator(limits: .simulated, repair: .works)
        var repaired = plain
        receive(seconds: 0..<2, &plain)
        receive(seconds: 2..<3, delay: 150, &plain)
        receive(seconds: 0..<2, &repaired)
        receive(seconds: 2..<3, delay: 150, repairByteCount: 1_000, &repaired)
        // 480 kbit/s arrive of what is sent first, and 240 kbit/s of what is sent again; nothing arrives while the queue fills.
        let (one, other) = (plain.estimate, repaired.estimate)
        #expect(one.rate * 1.3 < other.rate && other.rate < one.rate * 1.5, "\(one), \(other)")
    }

    @Test func theQueueOfTheLastPacketIsKnownAtOnce() {
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        receive(seconds: 0..<2, &estimator)
        let sent: Int64 = 2_000_000_000
        estimator.received(PacketFeedback(sent: sent, arrival: sent + 74_000_000, byteCount: 500))
        estimator.endOfFeedback(at: MonotonicTime(nanoseconds: sent + 80_000_000))
        #expect(estimator.queueTime(at: .milliseconds(2_080)) == 70_000_000)
        #expect(estimator.queueTime(at: .milliseconds(6_000)) == 0)
        estimator.received(PacketFeedback(sent: sent, arrival: sent + 50_000_000, byteCount: 500))
        #expect(estimator.queueTime(at: .milliseconds(2_080)) == 0)
    }

    @Test func aQueueIsLongWhileItsDelayIsReported() {
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        receive(seconds: 0..<2, &estimator)
        #expect(!estimator.isQueueLong(at: .milliseconds(2_000)))
        receive(seconds: 2..<3, delay: 120, &estimator)
        #expect(estimator.isQueueLong(at: .milliseconds(3_000)))
        #expect(!estimator.isQueueLong(at: .milliseconds(6_000)))
    }
}

@Suite struct LyingViewerTests {
    private static let integers: [Int64] = [.min, -1, 0, 1, 1_000_000, 1_000_000_000, 1 << 61, .max]

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func noReportMakesARateOutsideOfTheLimits(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        var now = MonotonicTime(nanoseconds: 0)
        func integer() -> Int64 {
            let value = Self.integers.randomElement(using: &random) ?? 0
            return Bool.random(using: &random)
                ? value : value &+ Int64.random(in: -1_000_000...1_000_000, using: &random)
        }
        for _ in 0..<2_000 {
            now = now + Int64.random(in: -50_000_000...300_000_000, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let share = [Double.nan, .infinity, -1, 0, 1].randomElement(using: &random) ?? 0
                estimator.observed(
                    BacklogSample(
                        lag: integer(), delivered: DataRate(bitsPerSecond: integer()),
                        isApplicationLimited: .random(using: &random), roundTripTime: integer(),
                        leastRoundTripTime: integer(), receiverWindowLimitedShare: share), at: now)
            case 1:
                estimator.received(
                    LossReport(
                        fractionLost: .random(in: 0...255, using: &random),
                        cumulativeLost: .init(truncatingIfNeeded: integer()),
                        extendedHighestSequenceNumber: .init(truncatingIfNeeded: integer()), jitter: integer(),
                        roundTripTime: integer(), meanPacketByteCount: Int(integer())), at: now)
            case 2:
                estimator.receivedNACK(packetCount: Int(integer()))
            default:
                for _ in 0..<10 {
                    let arrival = Bool.random(using: &random) ? integer() : nil
                    let sent = Bool.random(using: &random) ? now.nanoseconds : integer()
                    estimator.received(PacketFeedback(sent: sent, arrival: arrival, byteCount: Int(integer())))
                }
                estimator.endOfFeedback(at: now)
            }
            let rate = estimator.estimate.rate
            try #require(rate >= RateLimits.simulated.minimum && rate <= RateLimits.simulated.maximum)
        }
    }
}
