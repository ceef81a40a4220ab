import Media
import Testing

@Suite struct WindowedMinimumTests {
    private static let second: Int64 = 1_000_000_000

    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * second) }

    /// The minimum of values that come every second.
    private static func minimum(of seconds: Range<Int64>, _ value: (Int64) -> Int64) -> WindowedMinimum {
        var minimum = WindowedMinimum()
        for instant in seconds { minimum.insert(value(instant), at: at(instant)) }
        return minimum
    }

    @Test func theLeastValueCountsForHalfAMinute() {
        var minimum = WindowedMinimum()
        #expect(minimum.value == nil)
        for instant in 0..<20 as Range<Int64> { minimum.insert(instant == 7 ? 50 : 1_000, at: Self.at(instant)) }
        #expect(minimum.value == 50)
        for instant in 20..<40 as Range<Int64> { minimum.insert(1_000, at: Self.at(instant)) }
        #expect(minimum.value == 1_000)
        #expect(minimum.isSteady)
    }

    @Test func aSmallerValueCountsAtOnce() {
        var minimum = Self.minimum(of: 0..<10) { _ in 1_000 }
        minimum.insert(10, at: Self.at(10))
        #expect(minimum.value == 10)
    }

    @Test(arguments: [100_000, -100_000] as [Int64])
    func aDriftIsMeasuredAndFollowed(nanosecondsPerSecond: Int64) throws {
        #expect(Self.minimum(of: 0..<29) { $0 * nanosecondsPerSecond }.slope == nil)
        let minimum = Self.minimum(of: 0..<600) { $0 * nanosecondsPerSecond }
        let slope = try #require(minimum.slope)
        #expect(abs(slope - Double(nanosecondsPerSecond) / 1e9) < 1e-7)
        // As of the beginning of the newest period of two seconds; the values of half a minute differ by 3 ms.
        #expect(abs(try #require(minimum.value) - 598 * nanosecondsPerSecond) <= 2 * abs(nanosecondsPerSecond))
        #expect(minimum.isSteady)
    }

    /// One clock is 10 % faster than the other.
    @Test func aWrongClockIsNotSteady() {
        #expect(!Self.minimum(of: 0..<60) { $0 * Self.second / 10 }.isSteady)
        #expect(Self.minimum(of: 0..<60) { $0 * Self.second / 100 }.isSteady)
    }
}
