import TestSupport
import Testing

@testable import Measuring

@Suite struct LossTrackerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var announced: UInt16?
        var numbers: [UInt16]
        var packets: UInt64
        var lost: UInt64 = 0
        var gaps: UInt64 = 0
        var duplicates: UInt64 = 0
        var reordered: UInt64 = 0
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing", numbers: [], packets: 0),
        Case(testDescription: "in order", numbers: [1, 2, 3], packets: 3),
        Case(testDescription: "over the wrap", numbers: [65_534, 65_535, 0, 1], packets: 4),
        Case(testDescription: "two missing", numbers: [1, 4, 5], packets: 3, lost: 2, gaps: 1),
        Case(testDescription: "missing over the wrap", numbers: [65_535, 2], packets: 2, lost: 2, gaps: 1),
        Case(testDescription: "exchanged", numbers: [1, 3, 2, 4], packets: 4, gaps: 1, reordered: 1),
        Case(testDescription: "doubled", numbers: [1, 2, 2, 1, 3], packets: 3, duplicates: 2),
        Case(
            testDescription: "late and doubled", numbers: [1, 3, 2, 2], packets: 3, gaps: 1, duplicates: 1,
            reordered: 1),
        Case(testDescription: "first one late", numbers: [5, 4, 6], packets: 3, reordered: 1),
        Case(testDescription: "announced and there", announced: 7, numbers: [7, 8], packets: 2),
        Case(testDescription: "announced and lost", announced: 5, numbers: [7, 8], packets: 2, lost: 2, gaps: 1),
        Case(testDescription: "announced wrongly", announced: 9_000, numbers: [7, 8], packets: 2),
        Case(testDescription: "a long gap", numbers: [0, 200], packets: 2, lost: 199, gaps: 1),
    ]

    @Test(arguments: cases)
    func packetsAreCounted(_ expected: Case) {
        var tracker = LossTracker()
        if let first = expected.announced { tracker.announceFirst(first) }
        for number in expected.numbers { _ = tracker.received(number) }
        #expect(tracker.packets == expected.packets)
        #expect(tracker.lost == expected.lost)
        #expect(tracker.gaps == expected.gaps)
        #expect(tracker.duplicates == expected.duplicates)
        #expect(tracker.reordered == expected.reordered)
    }

    @Test(arguments: [0, 65_533, 65_534] as [UInt16])
    func aRepairedPacketIsNeitherLostNorReordered(first: UInt16) {
        var tracker = LossTracker()
        for step in [0, 1, 4, 5] as [UInt16] { _ = tracker.received(first &+ step) }
        let placement = tracker.receivedRepair(first &+ 3)
        #expect(placement == .late)
        #expect(tracker.packets == 5)
        #expect(tracker.lostBeforeRepair == 2 && tracker.repaired == 1 && tracker.lost == 1)
        #expect(tracker.gaps == 1 && tracker.reordered == 0 && tracker.duplicates == 0)
        // The network's own copies still count.
        _ = tracker.received(first &+ 3)
        #expect(tracker.duplicates == 1 && tracker.repaired == 1)
    }

    @Test func theFirstNumberMayBeAnnouncedAfterTheFirstPacket() {
        var tracker = LossTracker()
        _ = tracker.received(10)
        tracker.announceFirst(7)
        #expect(tracker.lost == 3)
        #expect(tracker.gaps == 1)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func everyDroppedPacketIsCountedAsLost(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var tracker = LossTracker()
        let start = UInt16(truncatingIfNeeded: random.next())
        var dropped: UInt64 = 0
        for step in 0..<100_000 as Range<Int> {
            // The first and the last packet are kept, because losses before and after them are unknown.
            if step > 0, step < 99_999, random.next() % 100 == 0 {
                dropped += 1
            } else {
                _ = tracker.received(start &+ UInt16(truncatingIfNeeded: step))
            }
        }
        #expect(tracker.lost == dropped)
        #expect(tracker.packets == 100_000 - dropped)
    }
}
