import Media
import Testing

@testable import Delivery

struct PacerTests {
    @Test func aBurstIsFollowedByTheRate() {
        let start = MonotonicTime(nanoseconds: 0)
        var pacer = Pacer(limits: .init(rate: 5_000_000, burst: 24_000))
        #expect(pacer.bytesAllowed(at: start) == 24_000)
        pacer.sent(24_000)
        #expect(pacer.bytesAllowed(at: start) == 0)
        #expect(pacer.bytesAllowed(at: start.advanced(byMilliseconds: 2)) == 10_000)
        pacer.sent(11_400)
        #expect(pacer.bytesAllowed(at: start.advanced(byMilliseconds: 2)) == -1_400)
        #expect(pacer.bytesAllowed(at: start.advanced(byMilliseconds: 60_000)) == 24_000)
    }
}
