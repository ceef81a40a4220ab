import RTP
import TestSupport
import Testing

/// Each packet counts once, in whatever order packets come.
struct ReplayWindowTests {
    @Test func whatHasComeOrIsTooOldIsNotAdmitted() {
        var window = ReplayWindow()
        #expect(window.admits(0) && window.admits(.max))
        window.note(100)
        #expect(!window.admits(100) && window.admits(99) && window.admits(37) && !window.admits(36))
        window.note(99)
        #expect(!window.admits(99) && window.admits(98) && window.admits(101))
        window.note(1_000)
        #expect(!window.admits(1_000) && !window.admits(100) && window.admits(999) && window.admits(937))
    }

    @Test func itKnowsWhatASetWouldKnow() {
        var (window, numbers) = (ReplayWindow(), SplitMix64(seed: 7))
        var (seen, newest) = (Set<UInt64>(), UInt64(0))
        for _ in 0..<20_000 {
            let index = newest > 80 ? newest - 80 + UInt64.random(in: 0..<100, using: &numbers) : newest + 1
            let isNew = !seen.contains(index) && (index > newest || newest - index < 64)
            #expect(window.admits(index) == isNew)
            guard isNew else { continue }
            window.note(index)
            seen.insert(index)
            newest = max(newest, index)
        }
    }
}
