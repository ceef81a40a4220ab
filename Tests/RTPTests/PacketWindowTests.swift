import TestSupport
import Testing

@testable import RTP

/// The index of each packet is found from its sequence number, and each packet is accepted once.
struct PacketWindowTests {
    private static let wrap: UInt64 = 0x1_0000

    private func candidates(
        _ window: PacketWindow, _ number: UInt16
    ) -> PacketWindow.Candidates? { window.candidates(for: SequenceNumber(number)) }

    @Test(
        arguments: [
            // The newest index, a sequence number, the index of a packet with it.
            (10, 11, 11), (10, 32_777, 32_777), (0xFFFF, 0, 0x1_0000), (0xFFFF, 1, 0x1_0001),
            (0x1_0002, 0xFFFF, 0xFFFF),
            (0x1_0002, 0x0003, 0x1_0003), (0x5_8000, 0x7FFF, 0x5_7FFF), (0x5_8001, 0, 0x6_0000),
            (0xFFFF_FFFF_FFFE, 0xFFFF, 0xFFFF_FFFF_FFFF),
        ] as [(UInt64, UInt16, UInt64)])
    func theProbableIndexIsTheNearest(newest: UInt64, number: UInt16, index: UInt64) throws {
        var window = PacketWindow(rolloverCounter: 0)
        window.markReceived(newest)
        let found = try #require(candidates(window, number))
        #expect(found.probable == index)
        #expect(found.later == (index + Self.wrap < 1 << 48 ? index + Self.wrap : nil))
    }

    @Test func theFirstPacketCountsFromTheAnnouncedRollover() {
        let window = PacketWindow(rolloverCounter: 3)
        #expect(candidates(window, 7) == .init(probable: 0x3_0007, later: 0x4_0007))
        let last = PacketWindow(rolloverCounter: .max)
        #expect(candidates(last, 7) == .init(probable: 0xFFFF_FFFF_0007, later: nil))
    }

    /// No packet was sent before the first one, and a packet that is too old may be one after a long gap.
    @Test func impossibleIndicesLeaveTheLaterOne() {
        var window = PacketWindow(rolloverCounter: 0)
        window.markReceived(10)
        #expect(candidates(window, 0xFFFF) == .init(probable: nil, later: 0xFFFF))
        window.markReceived(0x2_0064)
        #expect(candidates(window, 0x0024) == .init(probable: nil, later: 0x3_0024))
        #expect(candidates(window, 0x0025)?.probable == 0x2_0025)
        window.markReceived(0xFFFF_FFFF_FFFF)
        #expect(candidates(window, 0) == .init(probable: nil, later: nil), "the key must not be used any more")
    }

    /// A sender of 300 000 packets, of which up to 70 are missing in a row, and which come in another order.
    @Test func indicesAreFoundThroughManyRollovers() {
        var numbers = SplitMix64(seed: 11)
        var window = PacketWindow(rolloverCounter: 0)
        var received: Set<UInt64> = []
        var (next, newest) = (UInt64(65_000), UInt64(0))
        while next < 300_000 {
            next += numbers.next() % 40 == 0 ? numbers.next() % 70 : 1
            let index = next - min(numbers.next() % 50, next - 65_000)
            let isNew = !received.contains(index) && (index > newest || newest - index < 64)
            let found = candidates(window, UInt16(truncatingIfNeeded: index))
            #expect(found?.probable == (isNew ? index : nil))
            guard isNew else { continue }
            window.markReceived(index)
            received.insert(index)
            newest = max(newest, index)
        }
        #expect(newest > 4 * Self.wrap)
    }
}
