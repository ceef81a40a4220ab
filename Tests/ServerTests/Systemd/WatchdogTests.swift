import Media
import TestSupport
import Testing

@testable import Server

/// In virtual time, in milliseconds.
struct WatchdogTests {
    private static let watchdogTimeout: Int64 = 10_000

    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    private func watchdog() -> Watchdog { Watchdog(watchdogTimeout: Self.watchdogTimeout * 1_000_000, start: time(0)) }

    @Test func loopsAreCheckedAtOnceAndThenTwicePerTimeout() {
        var watchdog = watchdog()
        for now in stride(from: Int64(0), to: 50_000, by: 5_000) {
            #expect(watchdog.timePassed(to: time(now)) == .ask)
            #expect(watchdog.timePassed(to: time(now)) == nil, "its deadline is later now")
            #expect(watchdog.answered() == .notify)
            #expect(watchdog.answered() == nil, "an answer counts once")
            #expect(watchdog.deadline == time(now + 5_000))
            #expect(watchdog.timePassed(to: time(now + 4_999)) == nil)
        }
    }

    @Test func aStuckLoopIsReportedOnceAndStopsTheKeepalives() {
        var watchdog = watchdog()
        #expect(watchdog.timePassed(to: time(0)) == .ask)
        #expect(watchdog.timePassed(to: time(5_001)) == .report(5_001_000_000))
        for now in stride(from: Int64(10_001), to: 100_000, by: 5_000) {
            #expect(watchdog.timePassed(to: time(now)) == nil)
        }
        #expect(watchdog.answered() == .notify, "it was not stuck for ever")
        #expect(watchdog.timePassed(to: watchdog.deadline) == .ask)
    }

    /// The longest time without a keepalive, in milliseconds, if the loops are blocked for `stall`.
    private func longestSilence(_ stall: Range<Int64>) -> Int64 {
        var watchdog = watchdog()
        var (told, longest, answer) = (Int64(0), Int64(0), Int64?.none)
        func notify(_ order: Watchdog.Order?, at now: Int64) {
            guard order == .notify else { return }
            (longest, told) = (max(longest, now - told), now)
        }
        for now in Int64(0)..<stall.upperBound + 3 * Self.watchdogTimeout {
            if now >= watchdog.deadline.nanoseconds / 1_000_000, watchdog.timePassed(to: time(now)) == .ask {
                answer = stall.contains(now) ? stall.upperBound : now
            }
            if answer == now { notify(watchdog.answered(), at: now) }
        }
        return longest
    }

    @Test func aShortStallIsToleratedAndALongOneEndsTheService() {
        var numbers = SplitMix64(seed: 7)
        for _ in 0..<20 {
            let start = Int64.random(in: 1...20_000, using: &numbers)
            let short = Int64.random(in: 1..<5_000, using: &numbers)
            #expect(longestSilence(start..<start + short) < Self.watchdogTimeout, "\(start) \(short)")
            let long = Int64.random(in: 15_001...40_000, using: &numbers)
            #expect(longestSilence(start..<start + long) > Self.watchdogTimeout, "\(start) \(long)")
        }
    }
}
