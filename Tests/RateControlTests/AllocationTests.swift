import CAllocations
import Media
import Testing

@testable import RateControl

/// A viewer's reports need no memory beside the viewer's estimator.
@Suite(
    .serialized, .enabled(if: allocations_are_counted() != 0, "a sanitizer owns malloc"),
    .enabled(if: !_isDebugAssertConfiguration(), "holds in optimised builds"))
struct AllocationTests {
    @Test func inputsAllocateNothing() {
        var estimator = PathEstimator(limits: .simulated, repair: .works)
        let before = allocations_of_this_thread()
        for number in 0..<1_000 as Range<Int64> {
            let now = MonotonicTime.milliseconds(33 * number)
            estimator.observed(.lag(number % 400, delivering: 1_000), at: now)
            estimator.receivedNACK(packetCount: 1)
            estimator.received(LossReport(highest: UInt32(number) * 8, lost: Int32(number)), at: now)
            for packet in 0..<8 as Range<Int64> {
                let arrival = now.nanoseconds + packet * 2_000_000
                estimator.received(PacketFeedback(sent: now.nanoseconds, arrival: arrival, byteCount: 1200))
            }
            estimator.endOfFeedback(at: now)
        }
        #expect(allocations_of_this_thread() == before)
    }

    @Test func theEstimatesOfAsManyViewersAsBeforeNeedNoMemory() {
        var encoder = EncoderRate(.init(limits: .simulated))
        var viewers = ViewerRates()
        var fewest = UInt64.max
        for turn in 0..<20 as Range<Int64> {
            let before = allocations_of_this_thread()
            viewers.removeAll()
            for number in 0..<100 as Range<Int64> { viewers.add(PathEstimate(1_000 + number * turn)) }
            _ = encoder.update(&viewers, at: .milliseconds(100 * turn))
            fewest = min(fewest, allocations_of_this_thread() - before)
        }
        #expect(fewest == 0)
    }

    @Test func anEstimatorIsSmall() {
        #expect(MemoryLayout<PathEstimator>.size <= 1_300)
    }
}
