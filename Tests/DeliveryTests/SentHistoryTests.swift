import Media
import Reactor
import Testing

@testable import Delivery

/// A connection that is sampled every 25 or 50 ms.
struct SentHistoryTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    private func path(
        _ acknowledged: UInt64, _ unacknowledged: UInt64, selected: UInt64 = 0, silence: Int64 = 0,
        leastRoundTrip: Int64 = 0
    ) -> TCPPath {
        TCPPath(
            leastRoundTrip: leastRoundTrip * 1_000_000, acknowledgedByteCount: acknowledged,
            unacknowledgedByteCount: unacknowledged, selectedByteCount: selected, silence: silence * 1_000_000)
    }

    /// A large frame is no queue, however much media its bytes are: it has not been under way for long.
    @Test func aFrameThatHasJustBeenWrittenIsNoQueue() {
        var history = SentHistory()
        _ = history.note(path(0, 0), at: time(0))
        let written = history.note(path(0, 100_000), at: time(50))
        #expect(written.queueTime == 0 && written.delivered == nil)
    }

    /// The link becomes slower than what is written: the queue is known before its oldest byte is old.
    @Test func theNewestByteWaitsForAllBeforeIt() {
        var history = SentHistory()
        _ = history.note(path(0, 10_000), at: time(0))
        // 5 000 bytes in 50 ms: 25 000 take 250 ms.
        let recent = history.note(path(5_000, 25_000), at: time(50))
        #expect(recent.delivered?.bitsPerSecond == 800_000)
        #expect(recent.queueTime == 250_000_000)
    }

    /// A path of 100 ms always has bytes under way. What arrives is what was written, and a keyframe is no queue.
    @Test func aKeyframeOnALongPathIsNoQueue() {
        var history = SentHistory()
        for step in 0..<20 {
            let acknowledged = UInt64(step) * 5_000
            _ = history.note(path(acknowledged, 10_000, leastRoundTrip: 100), at: time(Int64(step) * 50))
        }
        let recent = history.note(path(100_000, 90_000, leastRoundTrip: 100), at: time(1_000))
        #expect(recent.queueTime == 0)
    }

    /// Wi-Fi pauses: the little that has arrived does not tell how long the rest will take.
    @Test func aPauseIsAsLongAsItHasLasted() {
        var history = SentHistory()
        _ = history.note(path(0, 10_000), at: time(0))
        #expect(history.note(path(1_000, 20_000, silence: 45), at: time(50)).queueTime == 50_000_000)
    }

    @Test func theOldestByteHasWaitedAsLongAsItIsUnderWay() {
        var history = SentHistory()
        for step in 0..<10 {
            // 100 bytes come every 50 ms, and 50 leave.
            let (written, acknowledged) = (UInt64(step) * 100, UInt64(step) * 50)
            let recent = history.note(
                path(acknowledged, written - acknowledged, silence: 40), at: time(Int64(step) * 50))
            // What is being sent at a step was written at half of it.
            let oldest = Int64(step / 2 + 1)
            #expect(recent.queueTime == max(0, Int64(step) - oldest) * 50_000_000, "step \(step)")
        }
    }

    /// A packet is lost. What arrives behind it is delivered, although nothing more is acknowledged; when the gap is closed, it does not
    /// count again.
    @Test func whatArrivesBehindAGapIsDelivered() {
        var history = SentHistory()
        _ = history.note(path(0, 50_000), at: time(0))
        for step in 1...3 {
            let recent = history.note(
                path(0, 50_000, selected: UInt64(step) * 5_000), at: time(Int64(step) * 50))
            #expect(recent.delivered?.bitsPerSecond == 800_000, "step \(step)")
        }
        let closed = history.note(path(20_000, 30_000), at: time(200))
        #expect(closed.delivered?.bitsPerSecond == 800_000)
    }

    /// A single interval has few packets at a low rate, so six count if the path was busy in all of them.
    @Test func theRateIsThatOfSixIntervals() {
        var history = SentHistory()
        var delivered: [Int64?] = []
        let acknowledgements: [UInt64] = [0, 1_000, 4_000, 7_000, 10_000, 12_000, 15_000, 21_000]
        for (step, acknowledged) in acknowledgements.enumerated() {
            delivered.append(
                history.note(path(acknowledged, 50_000), at: time(Int64(step) * 25)).delivered?.bitsPerSecond)
        }
        // Those of 50 to 150 ms.
        #expect(delivered == [nil, nil, 640_000, 746_666, 800_000, 768_000, 800_000, 1_066_666])
    }

    @Test func aPathThatHadNothingToCarryTellsNoRate() {
        var history = SentHistory()
        for step in 0..<20 {
            let recent = history.note(path(UInt64(step) * 1_000, 0), at: time(Int64(step) * 50))
            #expect(recent.delivered == nil && recent.queueTime == 0)
        }
    }

    /// Nothing arrives any more: the age grows up to the length of the history.
    @Test func aBrokenPathGrowsOld() {
        var history = SentHistory()
        for step in 0..<100 { _ = history.note(path(10, 90), at: time(Int64(step) * 25)) }
        let recent = history.note(path(10, 90), at: time(2_500))
        #expect(recent.queueTime == 1_600_000_000)
        #expect(recent.delivered == .zero)
    }

    @Test func theReceiversWindowIsAShareOfTheTime() {
        var (history, path) = (SentHistory(), path(0, 9))
        path.windowLimited = 5_000_000
        _ = history.note(path, at: time(0))
        path.windowLimited = 30_000_000
        #expect(history.note(path, at: time(50)).windowLimitedShare == 0.5)
    }
}
