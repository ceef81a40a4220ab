import Media
import Testing

@testable import RTSPServer

struct LogBudgetTests {
    private func instant(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func whatIsLeftOutIsToldWithTheNext() {
        var budget = LogBudget.oncePerMinute
        #expect(budget.admit(at: instant(0)) == 0)
        for second in 1...59 { #expect(budget.admit(at: instant(Int64(second))) == nil) }
        #expect(budget.admit(at: instant(60)) == 59)
        #expect(budget.admit(at: instant(600)) == 0)
    }

    @Test func aBurstIsLoggedLineByLineAndEarnedAnew() {
        var budget = LogBudget(burst: 3, interval: 1_000_000_000)
        for _ in 0..<3 { #expect(budget.admit(at: instant(0)) == 0) }
        #expect(budget.admit(at: instant(0)) == nil)
        #expect(budget.admit(at: instant(1), counting: 4) == 5)
        #expect(budget.admit(at: instant(1)) == nil)
        #expect(budget.takeLeftOutCount() == 1)
        for _ in 0..<3 { #expect(budget.admit(at: instant(9)) == 0) }
        #expect(budget.admit(at: instant(9)) == nil)
    }
}
