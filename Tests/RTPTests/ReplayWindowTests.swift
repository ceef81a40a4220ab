import RTP
import TestSupport
import Testing

/// Each packet is accepted once, in any order of arrival.
struct ReplayWindowTests {
    @Test func duplicateAndOldPacketsAreRejected() {
        var window = ReplayWindow()
        #expect(window.accepts(0) && window.accepts(.max))
        window.markReceived(100)
        #expect(!window.accepts(100) && window.accepts(99) && window.accepts(37) && !window.accepts(36))
        window.markReceived(99)
        #expect(!window.accepts(99) && window.accepts(98) && window.accepts(101))
        window.markReceived(1_000)
        #expect(!window.accepts(1_000) && !window.accepts(100) && window.accepts(999) && window.accepts(937))
    }

    @Test func theWindowAgreesWithASet() {
        var (window, numbers) = (ReplayWindow(), SplitMix64(seed: 7))
        var (seen, newest) = (Set<UInt64>(), UInt64(0))
        for _ in 0..<20_000 {
            let index = newest > 80 ? newest - 80 + UInt64.random(in: 0..<100, using: &numbers) : newest + 1
            let isNew = !seen.contains(index) && (index > newest || newest - index < 64)
            #expect(window.accepts(index) == isNew)
            guard isNew else { continue }
            window.markReceived(index)
            seen.insert(index)
            newest = max(newest, index)
        }
    }
}
