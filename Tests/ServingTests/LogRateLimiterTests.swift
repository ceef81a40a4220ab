import Media
import Testing

@testable import Serving

struct LogRateLimiterTests {
    private func instant(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func theCountOfSuppressedMessagesIsLoggedWithTheNext() {
        var limiter = LogRateLimiter.oncePerMinute
        #expect(limiter.admit(at: instant(0)) == 0)
        for second in 1...59 { #expect(limiter.admit(at: instant(Int64(second))) == nil) }
        #expect(limiter.admit(at: instant(60)) == 59)
        #expect(limiter.admit(at: instant(600)) == 0)
    }

    @Test func aBurstIsLoggedAndThenAllowedAgainAfterAWhile() {
        var limiter = LogRateLimiter(burst: 3, interval: 1_000_000_000)
        for _ in 0..<3 { #expect(limiter.admit(at: instant(0)) == 0) }
        #expect(limiter.admit(at: instant(0)) == nil)
        #expect(limiter.admit(at: instant(1), counting: 4) == 5)
        #expect(limiter.admit(at: instant(1)) == nil)
        #expect(limiter.takeSuppressedCount() == 1)
        for _ in 0..<3 { #expect(limiter.admit(at: instant(9)) == 0) }
        #expect(limiter.admit(at: instant(9)) == nil)
    }
}
