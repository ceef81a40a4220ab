import Media
import Testing

@testable import Measuring

@Suite struct SteadyWindowTests {
    static func mark(second: Int64, bytes: UInt64, server: Double? = nil) -> SteadyUse.Mark {
        SteadyUse.Mark(
            instant: MonotonicTime(nanoseconds: second * 1_000_000_000), bytes: bytes, lost: bytes / 1_000_000_000,
            server: server.map { .init(processorSeconds: $0, residentBytes: 0, descriptorCount: 0) },
            receiverNanoseconds: second * 250_000_000)
    }

    @Test func measuringBeginsASecondAfterTheLastJoin() throws {
        var window = SteadyWindow(viewers: 2)
        for second in 0...9 as ClosedRange<Int64> {
            if second == 1 || second == 3 {
                window.viewerSettled(at: MonotonicTime(nanoseconds: second * 1_000_000_000))
            }
            window.beginIfSettled(at: MonotonicTime(nanoseconds: second * 1_000_000_000)) {
                Self.mark(second: second, bytes: UInt64(second) * 1_000_000_000, server: Double(second) / 2)
            }
        }
        window.end { Self.mark(second: 10, bytes: 10_000_000_000, server: 5) }
        let use = try #require(window.use)
        #expect(use.seconds == 6)
        #expect(use.bytes == 6_000_000_000)
        #expect(use.lost == 6)
        #expect(use.processorSeconds == 3)
        #expect(use.processorSecondsPerGigabyte == 0.5)
        #expect(use.receiverLoad == 0.25)
    }

    @Test func nothingIsMeasuredUnlessAllViewersJoin() {
        var window = SteadyWindow(viewers: 2)
        window.viewerSettled(at: MonotonicTime(nanoseconds: 0))
        window.beginIfSettled(at: MonotonicTime(nanoseconds: 5_000_000_000)) { Self.mark(second: 5, bytes: 1) }
        window.end { Self.mark(second: 6, bytes: 2) }
        #expect(window.use == nil)
    }

    @Test func withoutAServerProcessItsCostIsUnknown() throws {
        var window = SteadyWindow(viewers: 1)
        window.viewerSettled(at: MonotonicTime(nanoseconds: 0))
        window.beginIfSettled(at: MonotonicTime(nanoseconds: 2_000_000_000)) { Self.mark(second: 2, bytes: 1) }
        window.end { Self.mark(second: 4, bytes: 3) }
        let use = try #require(window.use)
        #expect(use.bytes == 2)
        #expect(use.processorSecondsPerGigabyte == nil)
    }
}
