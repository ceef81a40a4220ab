import Media
import Testing

@testable import Streams

struct RecentMediaTests {
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))

    private func recent(atMilliseconds now: Int64) -> RecentMedia {
        stream.recentMedia(at: MonotonicTime(nanoseconds: now * 1_000_000))
    }

    /// The newest frame of a publisher or a camera was captured a while ago.
    @Test(arguments: [0, 17, 39, 80, 250]) func theFrameRateDoesNotDependOnTheDelayOfTheSource(delay: Int64) {
        stream.announce([.video, .audio])
        for index in 0..<100 {
            stream.publish(.frame(Int64(index) * 40, idr: index % 25 == 0))
            stream.publish(.audio(Int64(index) * 40))
        }
        #expect(recent(atMilliseconds: 3_961 + delay).frameRates[Track.video.id] == 25)
    }

    /// Capture times of cameras vary by a millisecond, and 30 000/1001 is shown as 30.
    @Test func ratesAreRounded() {
        stream.announce([.video])
        for index in 0..<90 { stream.publish(.frame(Int64(index) * 1_001 / 30 + Int64(index % 2), idr: index == 0)) }
        #expect(recent(atMilliseconds: 2_975).frameRates == [Track.video.id: 30])
    }

    @Test func oneFrameHasNoRate() {
        stream.announce([.video])
        for second in 0..<4 { stream.publish(.frame(Int64(second) * 3_000, idr: true)) }
        #expect(recent(atMilliseconds: 9_500).frameRates.isEmpty)
        stream.publish(.frame(9_400))
        #expect(recent(atMilliseconds: 9_500).frameRates == [Track.video.id: 2.5])
    }

    @Test func bytesAreThoseOfTheLastSecond() {
        stream.announce([.video])
        for index in 0..<75 { stream.publish(.frame(Int64(index) * 40, idr: index == 0, byteCount: 1_000)) }
        #expect(recent(atMilliseconds: 2_961).byteCount == 25_000)
        #expect(recent(atMilliseconds: 10_000).byteCount == 0)
    }
}
