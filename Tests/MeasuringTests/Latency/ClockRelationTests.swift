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

    private func captureTimestamps(
        _ change: (inout CaptureTimestamp) -> Void = { _ in }
    ) -> [(timestamp: CaptureTimestamp, arrival: MonotonicTime)] {
        (0..<10).map { number in
            var timestamp = SyntheticSession.correct(number, session.captured(number))
            change(&timestamp)
            return (timestamp, session.captured(number) + 5_000_000)
        }
    }

    @Test(arguments: [true, false])
    func theSameBootTimeMeansTheSameMachineWhateverTheAddress(ownAddress: Bool) {
        var evidence = evidence(ownAddress: ownAddress)
        evidence.captureTimestamps = captureTimestamps()
        #expect(ClockRelation(evidence) == .sameMachine)
        #expect(ClockRelation(evidence).error == 0)
    }

    @Test func machinesThatBootedNearlyTogetherAreDistinguished() {
        var evidence = evidence()
        evidence.captureTimestamps = captureTimestamps { $0.monotonic = $0.monotonic + 3_000_000 }
        #expect(ClockRelation(evidence) == .unknown("no sender report arrived"))
        // At this host's address, the difference is a step of the wall clock that the server has not followed.
        evidence.isOwnAddress = true
        #expect(ClockRelation(evidence) == .sameMachine)
    }

    @Test(arguments: [3_600_000_000_000, -3_600_000_000_000, Int64.max, Int64.min] as [Int64])
    func SEIWithImplausibleTimesIsIgnored(shift: Int64) {
        var evidence = evidence()
        // Both clocks are shifted alike, so that the boot time is this machine's.
        evidence.captureTimestamps = captureTimestamps { timestamp in
            timestamp.monotonic = timestamp.monotonic + shift
            timestamp.wallClock = NTPTime(unixNanoseconds: timestamp.wallClock.unixNanoseconds &+ shift)
        }
        #expect(ClockRelation(evidence) != .sameMachine)
    }

    @Test func aServerAtThisHostsAddressHasThisHostsWallClock() {
        var evidence = evidence(ownAddress: true)
        evidence.reports = [session.report(0), session.report(75)]
        #expect(ClockRelation(evidence) == .sameHost)
        evidence.reports = []
        #expect(ClockRelation(evidence) == .sameHost)
    }

    /// Such as behind a forwarded port, or with reports that count from the server's start.
    @Test(arguments: [-10_000_000_000, 10_000_000, -3_000_000_000_000_000] as [Int64])
    func aServerAtThisHostsAddressWithAnotherTimeIsAnotherHost(ahead: Int64) {
        var evidence = evidence(ownAddress: true)
        evidence.reports = [session.report(0, ahead: ahead), session.report(75, ahead: ahead)]
        guard case .estimated(let offset, let error) = ClockRelation(evidence) else {
            Issue.record("an estimate is possible")
            return
        }
        #expect((offset - ahead).magnitude <= error.magnitude)
    }

    /// Holds for any offset and delays, if at least one report took no longer than the shortest round trip.
    @Test func theErrorOfAnEstimateIsAnUpperBound() {
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
            // Tolerance for the rounding of NTP fractions and of the halved round trip.
            #expect((offset - ahead).magnitude <= error.magnitude + 2)
        }
    }

    @Test func withoutReportsOrRoundTripsTheRelationIsUnknown() {
        var evidence = evidence()
        #expect(ClockRelation(evidence).error == nil)
        evidence.reports = [session.report(0)]
        evidence.roundTrip = nil
        #expect(ClockRelation(evidence) == .unknown("no round trip was measured"))
        #expect(ClockRelation(evidence).instant(unixNanoseconds: 0, wallClockOffset: 0) == nil)
    }

    @Test func theUsersAssumptionHasPrecedence() {
        var evidence = evidence(ownAddress: true)
        evidence.captureTimestamps = captureTimestamps()
        evidence.reports = [session.report(0)]
        evidence.assumption = .same
        #expect(ClockRelation(evidence) == .trusted)
        evidence.assumption = .estimate
        #expect(ClockRelation(evidence).name == "estimated")
    }

    @Test func everyRelationHasItsOwnSentence() {
        let relations: [ClockRelation] = [
            .sameMachine, .sameHost, .trusted, .estimated(offset: -2_500_000, error: 300_000), .unknown("because"),
        ]
        #expect(Set(relations.map(\.sentence)).count == relations.count)
        #expect(relations[3].sentence.contains("-2.50 ms ahead, ± 0.30 ms"))
    }
}
