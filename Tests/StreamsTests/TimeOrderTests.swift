import Media
import Testing

@testable import Streams

/// What keeps decode times in order when another source continues a stream.
struct TimeOrderTests {
    /// Frames that are older than the last frame of another source get the next ticks, one each. The source's own times follow as soon as
    /// they are later.
    @Test func timesStrictlyIncreaseInEachTrack() {
        var order = TimeOrder()
        var times = [order.inOrder(.frame(3_000, idr: true)).decodeTime.ticks]
        for time in [2_900, 2_940, 2_980, 3_020, 3_060] as [Int64] {
            let unit = order.inOrder(.frame(time, idr: true))
            times.append(unit.decodeTime.ticks)
            #expect(unit.presentationTime.ticks >= times[times.count - 1])
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
        #expect(times[1...3] == [times[0] + 1, times[0] + 2, times[0] + 3])
        #expect(times.last == AccessUnit.frame(3_060).decodeTime.ticks)
        // Another track has times of its own.
        #expect(order.inOrder(.audio(10)).decodeTime == AccessUnit.audio(10).decodeTime)
    }

    @Test func otherTracksBeginAnew() {
        var order = TimeOrder()
        _ = order.inOrder(.frame(3_000, idr: true))
        order.forget()
        #expect(order.inOrder(.frame(2_900, idr: true)).decodeTime == AccessUnit.frame(2_900).decodeTime)
    }

    /// Times that go back by seconds stay: viewers would otherwise see a frame per tick until they had passed the former ones.
    @Test(arguments: [(1_001, true), (999, false)] as [(Int64, Bool)])
    func aTimelineThatBeginsAgainIsKept(time: Int64, isShifted: Bool) {
        var order = TimeOrder()
        let former = order.inOrder(.frame(3_000)).decodeTime.ticks
        let expected = isShifted ? former + 1 : AccessUnit.frame(time).decodeTime.ticks
        #expect(order.inOrder(.frame(time)).decodeTime.ticks == expected)
    }

    /// A viewer stays while another publisher continues the stream, and sees no time go back.
    @Test func anotherSourceContinuesTheStream() throws {
        let stream = Stream(path: "/yard", epoch: MonotonicTime(nanoseconds: 0))
        stream.announce([.video, .audio])
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: CountingWaker()))
        stream.publish(.frame(1_000, idr: true))
        stream.publish(.audio(1_010))
        stream.announce([.video, .audio])
        stream.publish(.audio(1_008))
        stream.publish(.frame(1_020, idr: true))
        stream.publish(.audio(1_029))
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        let times = (reader.startIndex..<reader.endIndex).map { reader[$0].presentationTime }
        #expect(
            times == [
                AccessUnit.frame(1_000).presentationTime, AccessUnit.audio(1_010).presentationTime,
                MediaTime(ticks: 1_010 * 48 + 1, rate: .audio48k), AccessUnit.frame(1_020).presentationTime,
                AccessUnit.audio(1_029).presentationTime,
            ])
    }
}
