import Media
import Testing

@testable import Measuring

@Suite struct ClockTests {
    @Test func theCaptureTimeIsUnknownBeforeASenderReport() {
        #expect(CaptureClock(rate: .video).unixNanoseconds(of: 5) == nil)
    }

    @Test(arguments: [(0, 0), (90_000, 1_000_000_000), (-45_000, -500_000_000)] as [(Int32, Int64)])
    func captureTimesAreRelativeToTheSenderReport(ticks: Int32, nanoseconds: Int64) {
        var clock = CaptureClock(rate: .video)
        let base = UInt32.max - 10
        clock.received(time: NTPTime(unixNanoseconds: 1_700_000_000_000_000_000), timestamp: base)
        let captured = clock.unixNanoseconds(of: base &+ UInt32(bitPattern: ticks))
        #expect(captured == 1_700_000_000_000_000_000 + nanoseconds)
    }

    @Test func latenessIsRelativeToTheLeastDelayedUnit() {
        var transit = TransitTime(rate: .video)
        let base = UInt32.max - 1_000
        let arrivals: [Int64] = [500, 533, 600, 590]
        let latenesses = arrivals.enumerated().map { index, milliseconds in
            transit.lateness(
                timestamp: base &+ UInt32(index) &* 3_000,
                arrival: MonotonicTime(nanoseconds: milliseconds * 1_000_000)) / 1_000_000
        }
        // On time would be 500, 533.3, 566.7 and 600 ms. The second unit lowers the minimum by 0.3 ms, the last by 10 ms.
        #expect(latenesses == [0, 0, 33, 0])
    }

    @Test func theSpreadOfAFrameIsTheTimeFromTheFirstToTheLastViewer() throws {
        var fanOut = FanOut()
        for frame in 0..<1_000 as Range<Int64> {
            for viewer in 0..<3 as Range<Int64> {
                // Rounding changes the capture time slightly for each viewer.
                fanOut.completed(
                    capturedAt: frame * 33_333_333 + viewer * 11_111,
                    arrival: frame * 33_333_333 + viewer * 2_000_000)
            }
        }
        let spreads = fanOut.finish()
        let summary = try #require(spreads.summary)
        #expect(summary.count == 1_000)
        #expect((3.99...4.01).contains(summary.p50))
        #expect((3.99...4.01).contains(summary.max))
    }

    @Test func aFrameOfOneViewerHasNoSpread() {
        var fanOut = FanOut()
        fanOut.completed(capturedAt: 0, arrival: 1)
        let spreads = fanOut.finish()
        #expect(spreads.summary == nil)
    }

    @Test func aHalfRateViewerMayReadHalfOfTheStreamsRate() throws {
        var pace = HalfRatePace()
        let early = pace.share(at: MonotonicTime(nanoseconds: 0))
        #expect(early == nil)
        pace.viewerJoined()
        pace.viewerJoined()
        pace.received(byteCount: 400_000)
        _ = pace.share(at: MonotonicTime(nanoseconds: 1_000_000_000))
        let answer = pace.share(at: MonotonicTime(nanoseconds: 1_100_000_000))
        let share = try #require(answer)
        #expect(share.byteCount == 10_000)
        #expect(share.limit == 10_000)
    }
}
