import Media
import TestSupport
import Testing

@testable import Measuring

@Suite struct ClockRelationTests {
    private let session = SyntheticSession()

    private func evidence(ownAddress: Bool = false) -> ClockRelation.Evidence {
        var evidence = ClockRelation.Evidence()
        evidence.isOwnAddress = ownAddress
        evidence.wallClockOffset = SyntheticSession.wallClockOffset
        evidence.roundTrip = 2_000_000
        return evidence
    }

    private func stamps(
        _ change: (inout CaptureTimestamp) -> Void = { _ in }
    ) -> [(stamp: CaptureTimestamp, arrival: MonotonicTime)] {
        (0..<10).map { number in
            var stamp = SyntheticSession.honest(number, session.captured(number))
            change(&stamp)
            return (stamp, session.captured(number) + 5_000_000)
        }
    }

    @Test(arguments: [true, false])
    func stampsWithOurBootInstantAreOfThisMachineWhateverItsAddress(ownAddress: Bool) {
        var evidence = evidence(ownAddress: ownAddress)
        evidence.stamps = stamps()
        #expect(ClockRelation(evidence) == .sameMachine)
        #expect(ClockRelation(evidence).error == 0)
    }

    @Test func machinesThatBootedNearlyTogetherAreTwo() {
        var evidence = evidence()
        evidence.stamps = stamps { $0.monotonic = $0.monotonic + 3_000_000 }
        #expect(ClockRelation(evidence) == .unknown("the server sent no sender report"))
        // The same difference is a step of the wall clock that a server here has not followed.
        evidence.isOwnAddress = true
        #expect(ClockRelation(evidence) == .sameMachine)
    }

    @Test(arguments: [3_600_000_000_000, -3_600_000_000_000, Int64.max, Int64.min] as [Int64])
    func stampsOfAnotherTimeProveNothing(shift: Int64) {
        var evidence = evidence()
        // Both clocks alike, so that the boot instant is ours.
        evidence.stamps = stamps { stamp in
            stamp.monotonic = stamp.monotonic + shift
            stamp.wallClock = NTPTime(unixNanoseconds: stamp.wallClock.unixNanoseconds &+ shift)
        }
        #expect(ClockRelation(evidence) != .sameMachine)
    }

    @Test func aServerAtOurAddressHasOurWallClock() {
        var evidence = evidence(ownAddress: true)
        evidence.reports = [session.report(0), session.report(75)]
        #expect(ClockRelation(evidence) == .sameHost)
        evidence.reports = []
        #expect(ClockRelation(evidence) == .sameHost)
    }

    /// A forwarded port, or a server whose reports count from its own start.
    @Test(arguments: [-10_000_000_000, 10_000_000, -3_000_000_000_000_000] as [Int64])
    func aServerAtOurAddressWhoseReportsTellAnotherTimeIsElsewhere(ahead: Int64) {
        var evidence = evidence(ownAddress: true)
        evidence.reports = [session.report(0, ahead: ahead), session.report(75, ahead: ahead)]
        guard case .estimated(let offset, let error) = ClockRelation(evidence) else {
            Issue.record("it can be estimated")
            return
        }
        #expect((offset - ahead).magnitude <= error.magnitude)
    }

    /// Whatever the difference and the delays, the truth lies within the error, as long as one report came no slower than the
    /// quickest round trip.
    @Test func anEstimateIsWrongByItsErrorAtMost() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<1_000 {
            let ahead = Int64.random(in: -10_000_000_000...10_000_000_000, using: &random)
            let roundTrip = Int64.random(in: 1_000...50_000_000, using: &random)
            var evidence = evidence()
            evidence.roundTrip = roundTrip
            evidence.reports = (0..<5).map { number in
                let slowest = number == 3 ? roundTrip : 500_000_000
                return session.report(
                    number * 75, delivery: .random(in: 0...slowest, using: &random), ahead: ahead)
            }
            guard case .estimated(let offset, let error) = ClockRelation(evidence) else {
                Issue.record("there are reports and a round trip")
                return
            }
            // NTP's fraction is a quarter of a nanosecond; halving rounds.
            #expect((offset - ahead).magnitude <= error.magnitude + 2)
        }
    }

    @Test func withoutReportsOrRoundTripsNothingIsKnown() {
        var evidence = evidence()
        #expect(ClockRelation(evidence).error == nil)
        evidence.reports = [session.report(0)]
        evidence.roundTrip = nil
        #expect(ClockRelation(evidence) == .unknown("no round trip was measured"))
        #expect(ClockRelation(evidence).instant(unixNanoseconds: 0, wallClockOffset: 0) == nil)
    }

    @Test func theCallersWordHolds() {
        var evidence = evidence(ownAddress: true)
        evidence.stamps = stamps()
        evidence.reports = [session.report(0)]
        evidence.assumption = .same
        #expect(ClockRelation(evidence) == .trusted)
        evidence.assumption = .estimate
        #expect(ClockRelation(evidence).name == "estimated")
    }

    @Test func everyRelationHasItsSentence() {
        let relations: [ClockRelation] = [
            .sameMachine, .sameHost, .trusted, .estimated(offset: -2_500_000, error: 300_000), .unknown("because"),
        ]
        #expect(Set(relations.map(\.sentence)).count == relations.count)
        #expect(relations[3].sentence.contains("-2.50 ms ahead, ± 0.30 ms"))
    }
}
