import Media
import Testing

@testable import HTTPServer

/// When a file is padded to whole blocks.
struct BlockPaddingTests {
    private let start = MonotonicTime.now()

    private func instant(_ milliseconds: Int64) -> MonotonicTime { start.advanced(byMilliseconds: milliseconds) }

    @Test func theFastStartIsPaddedAtOnce() {
        var padding = BlockPadding()
        #expect(padding.padding(at: 20_000, start) == 12_768)
    }

    @Test func theNextBlockIsPaddedWhenItIsLate() {
        var padding = BlockPadding()
        _ = padding.padding(at: 20_000, start)
        #expect(padding.padding(at: 32_768 + 5_000, instant(99)) == nil)
        #expect(padding.padding(at: 32_768 + 6_000, instant(100)) == 26_768)
        #expect(padding.padding(at: 65_536 + 1_000, instant(199)) == nil)
    }

    /// A stream that fills its blocks in time gets nothing.
    @Test func aFastStreamIsNotPadded() {
        var padding = BlockPadding()
        _ = padding.padding(at: 20_000, start)
        for step in 1...100 {
            #expect(padding.padding(at: 32_768 + 11_000 * step, instant(33 * Int64(step))) == nil)
        }
    }

    @Test func aWholeBlockAndOneWithoutRoomForABoxAreNot() {
        var padding = BlockPadding()
        #expect(padding.padding(at: 32_768, start) == nil)
        #expect(padding.padding(at: 2 * 32_768 - 7, instant(1_000)) == nil)
        #expect(padding.padding(at: 2 * 32_768 - 8, instant(1_000)) == 8)
    }

    @Test func aSlowStreamHasAtMostTheStatedRate() {
        var (padding, position) = (BlockPadding(), 0)
        for step in 0..<300 {
            position += 200
            position += padding.padding(at: position, instant(33 * Int64(step))) ?? 0
        }
        #expect(position * 8 < 2_700_000 * 10)
    }
}
