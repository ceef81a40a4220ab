import Media
import RTP
import Testing

@Suite struct ReceptionStatisticsTests {
    /// Feeds `numbers`, one every 10 ms at 90 kHz, alternately late by `jitterMilliseconds` and on time.
    private func statistics(_ numbers: [Int], jitterMilliseconds: Int64 = 0) -> ReceptionStatistics {
        var statistics = ReceptionStatistics(clockRate: .video)
        for (index, number) in numbers.enumerated() {
            let late = index % 2 == 0 ? 0 : jitterMilliseconds
            statistics.received(
                SequenceNumber(UInt16(truncatingIfNeeded: number)),
                rtpTimestamp: UInt32(truncatingIfNeeded: 0xFFFF_F000 + index * 900),
                arrival: MonotonicTime(nanoseconds: (Int64(index) * 10 + late) * 1_000_000))
        }
        return statistics
    }

    @Test func sequenceNumbersAreExtendedAcrossTheWrap() {
        let statistics = statistics(Array(65_500..<65_600))
        #expect(statistics.extendedHighestSequenceNumber == 65_599)
        #expect(statistics.cumulativeLost == 0)
        // The first packet only starts the probation.
        #expect(statistics.receivedCount == 99)
    }

    @Test func lossIsCountedPerIntervalAndInTotal() {
        var statistics = statistics([0, 1, 2, 3, 4, 7, 8])
        let now = MonotonicTime(nanoseconds: 0)
        let first = statistics.reportBlock(for: SSRC(1), now: now)
        #expect(first.cumulativeLost == 2)
        #expect(first.fractionLost == 64)
        statistics.received(SequenceNumber(9), rtpTimestamp: 0, arrival: now)
        let second = statistics.reportBlock(for: SSRC(1), now: now)
        #expect(second.cumulativeLost == 2)
        #expect(second.fractionLost == 0)
    }

    @Test func lateAndDuplicatePacketsDoNotMoveTheHighestNumber() {
        let statistics = statistics([10, 11, 13, 12, 12, 12])
        #expect(statistics.extendedHighestSequenceNumber == 13)
        #expect(statistics.cumulativeLost == -2)
    }

    @Test func aSourceIsAcceptedAfterTwoPacketsInSequence() {
        let statistics = statistics([5, 900, 3, 4, 5])
        #expect(statistics.receivedCount == 2)
        #expect(statistics.expectedCount == 2)
    }

    @Test func aRestartedSenderIsAcceptedAfterTwoPackets() {
        let statistics = statistics([1, 2, 3, 40_000, 40_001, 40_002])
        #expect(statistics.extendedHighestSequenceNumber == 40_002)
        #expect(statistics.expectedCount == 2)
        #expect(statistics.cumulativeLost == 0)
    }

    @Test func jitterIsTheSmoothedTransitDifference() {
        #expect(statistics(Array(0..<500)).jitter == 0)
        // The transit time of each packet differs by 5 ms from that of the previous one: 450 ticks.
        let jitter = statistics(Array(0..<500), jitterMilliseconds: 5).jitter
        #expect((440...450).contains(jitter))
    }

    @Test func aReportBlockRefersToTheLastSenderReportAndItsAge() {
        var statistics = statistics([0, 1, 2])
        let report = SenderReport(
            ssrc: SSRC(1), ntpTime: NTPTime(rawValue: 0x0001_2345_6789_0000), rtpTimestamp: 0, packetCount: 0,
            octetCount: 0)
        statistics.received(report, arrival: MonotonicTime(nanoseconds: 1_000_000_000))
        let block = statistics.reportBlock(for: SSRC(1), now: MonotonicTime(nanoseconds: 2_500_000_000))
        #expect(block.lastSenderReport == 0x2345_6789)
        #expect(block.delaySinceLastSenderReport == 98_304)
    }
}
