import Media
import Testing

@testable import Streams

private let millisecond: Int64 = 1_000_000

struct SlowViewerPolicyTests {
    @Test(
        arguments: [
            (lag: 0, stall: 0, isInside: false, isOverrun: false, action: SlowViewerPolicy.Action.keepSending),
            (lag: 500, stall: 0, isInside: false, isOverrun: false, action: .keepSending),
            (lag: 501, stall: 0, isInside: false, isOverrun: false, action: .skipToKeyframe),
            (lag: 501, stall: 0, isInside: true, isOverrun: false, action: .keepSending),
            (lag: 12_000, stall: 0, isInside: true, isOverrun: true, action: .skipToKeyframe),
            (lag: 501, stall: 9_999, isInside: false, isOverrun: false, action: .skipToKeyframe),
            (lag: 0, stall: 10_000, isInside: true, isOverrun: true, action: .disconnect),
        ] as [(lag: Int64, stall: Int64, isInside: Bool, isOverrun: Bool, action: SlowViewerPolicy.Action)])
    func theActionFollowsFromLagAndStall(
        _ row: (lag: Int64, stall: Int64, isInside: Bool, isOverrun: Bool, action: SlowViewerPolicy.Action)
    ) {
        let action = SlowViewerPolicy().action(
            lag: row.lag * millisecond, stall: row.stall * millisecond, isInsideUnit: row.isInside,
            isOverrun: row.isOverrun)
        #expect(action == row.action)
    }
}

struct KeyframeRequestLimiterTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * millisecond) }

    @Test func aPendingRequestServesFurtherRequests() {
        var limiter = KeyframeRequestLimiter()
        #expect(limiter.requested(at: at(0)) == .granted)
        for instant in 1..<100 { #expect(limiter.requested(at: at(Int64(instant))) == .alreadyRequested) }
    }

    @Test func aBurstOfThreeThenOnePerHalfSecond() {
        var limiter = KeyframeRequestLimiter()
        for instant in 0..<3 {
            #expect(limiter.requested(at: at(Int64(instant))) == .granted)
            limiter.arrived()
        }
        #expect(limiter.requested(at: at(10)) == .notBefore(at(500)))
        #expect(limiter.requested(at: at(499)) == .notBefore(at(500)))
        #expect(limiter.requested(at: at(500)) == .granted)
        limiter.arrived()
        #expect(limiter.requested(at: at(501)) == .notBefore(at(1000)))
    }

    @Test func manyJoinsGetNoMoreKeyframesThanTheLimit() {
        var limiter = KeyframeRequestLimiter()
        var granted = 0
        for instant in 0..<10_000 where limiter.requested(at: at(Int64(instant))) == .granted {
            granted += 1
            limiter.arrived()
        }
        #expect(granted == 3 + 19)
    }
}

struct WallClockMappingTests {
    @Test func aStepOfTheWallClockIsFollowedAndNoiseIsNot() {
        let start = MonotonicTime(nanoseconds: 5)
        var mapping = WallClockMapping(ClockReading(monotonic: start, unixNanoseconds: 1_000_000_000_000))
        let later = start + 1_000 * millisecond
        let noisy = mapping.sampled(
            ClockReading(monotonic: later, unixNanoseconds: 1_001_000_000_000 + 50 * millisecond))
        #expect(!noisy)
        #expect(mapping.ntpTime(of: later) == NTPTime(unixNanoseconds: 1_001_000_000_000))
        let stepped = mapping.sampled(
            ClockReading(monotonic: later, unixNanoseconds: 1_001_000_000_000 + 51 * millisecond))
        #expect(stepped)
        #expect(mapping.ntpTime(of: later) == NTPTime(unixNanoseconds: 1_001_051_000_000))
    }
}

struct RingTests {
    @Test func oldElementsAreDroppedByTimeAndBytesAndTheNewestStays() {
        var ring = Ring<Int>(bounds: .init(nanoseconds: 10, byteCount: 100))
        for element in 0..<30 { ring.append(element, nanoseconds: Int64(element), byteCount: 5) }
        #expect(ring.startIndex == 19 && ring.endIndex == 30)
        #expect((ring.startIndex..<ring.endIndex).map { ring[$0] } == Array(19..<30))
        ring.append(30, nanoseconds: 30, byteCount: 60)
        #expect(ring.startIndex == 22)
        ring.append(31, nanoseconds: 31, byteCount: 1_000)
        #expect(ring.startIndex == 31 && ring[31] == 31)
    }
}
