import Media
import Testing

@testable import Delivery

/// A connection over a link of 1 000 bytes per second, sampled every 50 ms.
struct SentHistoryTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    /// A large frame is no queue, however much media its bytes are: it has not been under way for long.
    @Test func aFrameThatHasJustBeenWrittenHasNoAge() {
        var history = SentHistory()
        _ = history.note(acknowledged: 0, unacknowledged: 0, at: time(0))
        let written = history.note(acknowledged: 0, unacknowledged: 100_000, at: time(50))
        #expect(written.age == 0 && written.delivered == nil)
        let later = history.note(acknowledged: 25_000, unacknowledged: 75_000, at: time(100))
        #expect(later.age == 50_000_000)
        // 25 000 bytes in 50 ms: 4 Mbit/s.
        #expect(later.delivered?.bitsPerSecond == 4_000_000)
    }

    @Test func theAgeIsThatOfTheOldestByte() {
        var history = SentHistory()
        for step in 0..<10 {
            // 100 bytes come every 50 ms, and 50 leave.
            let (written, acknowledged) = (UInt64(step) * 100, UInt64(step) * 50)
            let recent = history.note(
                acknowledged: acknowledged, unacknowledged: written - acknowledged, at: time(Int64(step) * 50))
            // What is being sent at a step was written at half of it.
            let oldest = Int64(step / 2 + 1)
            #expect(recent.age == max(0, Int64(step) - oldest) * 50_000_000, "step \(step)")
        }
    }

    @Test func aPathThatHadNothingToCarryTellsNoRate() {
        var history = SentHistory()
        for step in 0..<20 {
            let recent = history.note(acknowledged: UInt64(step) * 1_000, unacknowledged: 0, at: time(Int64(step) * 50))
            #expect(recent.delivered == nil && recent.age == 0)
        }
    }

    /// Nothing arrives any more: the age grows up to the length of the history.
    @Test func aBrokenPathGrowsOld() {
        var history = SentHistory()
        for step in 0..<100 { _ = history.note(acknowledged: 10, unacknowledged: 90, at: time(Int64(step) * 50)) }
        let recent = history.note(acknowledged: 10, unacknowledged: 90, at: time(5_000))
        #expect(recent.age == 1_600_000_000)
        #expect(recent.delivered == .zero)
    }

    @Test func theReceiversWindowIsAShareOfTheTime() {
        var history = SentHistory()
        _ = history.note(acknowledged: 0, unacknowledged: 9, windowLimited: 5_000_000, at: time(0))
        let recent = history.note(acknowledged: 0, unacknowledged: 9, windowLimited: 30_000_000, at: time(50))
        #expect(recent.windowLimitedShare == 0.5)
    }
}
