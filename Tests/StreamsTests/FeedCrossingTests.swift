import Media
import Testing

@testable import Streams

/// A follower goes from one feed to another that has the same tracks and media times.
struct FeedCrossingTests {
    private struct Fragment: PackagedUnit, Equatable {
        let number: Int
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        var part = AccessUnit.Part.whole
        let byteCount = 100
    }

    private let video = TrackID(0)

    /// A feed with frames and audio of these numbers, 40 ms apart.
    private func view(_ numbers: Range<Int>, keyframes: Set<Int>) -> FeedView<Fragment> {
        var ring = Ring<Fragment>(bounds: .init(nanoseconds: 60_000_000_000))
        for number in numbers {
            let time = MediaTime(ticks: Int64(number) * 3_600, rate: .video)
            for track in 0..<2 {
                let fragment = Fragment(
                    number: number, track: TrackID(track), presentationTime: time,
                    isKeyframe: track == 1 || keyframes.contains(number))
                ring.append(fragment, nanoseconds: time.nanoseconds, byteCount: 100)
            }
        }
        let view = FeedView<Fragment>()
        view.reader.update(from: ring, hasEnded: false)
        return view
    }

    /// A follower that was sent all frames, and the audio of all, before frame `number` of a feed that begins with frame 0.
    private func follower(before number: Int) -> Follower<Fragment> {
        var follower = Follower<Fragment>(at: MonotonicTime(nanoseconds: 0))
        follower.join(at: Int64(2 * number), fastStart: [], at: MonotonicTime(nanoseconds: 0))
        return follower
    }

    private func crossing(
        _ follower: Follower<Fragment>, from source: FeedView<Fragment>, to target: FeedView<Fragment>, isUrgent: Bool
    ) -> FeedCrossing? {
        FeedCrossing(of: follower, from: source, to: target, trackCount: 2, leading: video, isUrgent: isUrgent)
    }

    /// What the follower is sent after the crossing.
    private func sent(_ crossing: FeedCrossing, in target: FeedView<Fragment>) -> [Fragment] {
        var crossing = crossing
        return (crossing.index..<target.endIndex).map { target.reader[$0] }.filter { crossing.admits($0) }
    }

    /// Whatever the follower was sent and whichever keyframes there are, it gets no frame and no audio twice, begins with a keyframe, and
    /// misses at most what it had not been sent before the keyframe.
    @Test(arguments: 1..<20, [false, true])
    func nothingIsSentTwice(before number: Int, isUrgent: Bool) throws {
        let source = view(0..<20, keyframes: [0])
        let target = view(0..<19, keyframes: [4, 8, 16])
        guard let way = crossing(follower(before: number), from: source, to: target, isUrgent: isUrgent) else {
            // There is no keyframe after what it was sent, or the frames before the keyframe come first.
            #expect(number > 16 || !isUrgent)
            return
        }
        let sent = sent(way, in: target)
        let frames = sent.filter { $0.track == video }.map(\.number)
        let first = try #require(frames.first)
        #expect(first >= number && [4, 8, 16].contains(first))
        #expect(frames == Array(first..<19))
        #expect(way.skippedCount == first - number)
        if !isUrgent { #expect(first == number) }
        #expect(sent.filter { $0.track != video }.map(\.number) == Array(number..<19))
    }

    @Test func anUrgentOneTakesTheNewestKeyframe() throws {
        let way = try #require(
            crossing(
                follower(before: 2), from: view(0..<20, keyframes: [0]), to: view(0..<19, keyframes: [4, 8, 16]),
                isUrgent: true))
        #expect(way.skippedCount == 14)
    }

    /// The feed of a substream comes later than that of its path, so a follower that leaves it waits for the frames before the keyframe.
    @Test func aFollowerWaitsForTheFramesBeforeTheKeyframe() {
        let target = view(0..<13, keyframes: [10])
        for count in 7...10 {
            #expect(
                crossing(follower(before: count), from: view(0..<count, keyframes: [0]), to: target, isUrgent: false)
                    == nil)
        }
        #expect(crossing(follower(before: 10), from: view(0..<11, keyframes: [0]), to: target, isUrgent: false) != nil)
    }

    /// The former feed may have stopped.
    @Test func aFollowerDoesNotWaitForLong() {
        let source = view(0..<8, keyframes: [0])
        #expect(crossing(follower(before: 8), from: source, to: view(0..<16, keyframes: [10]), isUrgent: false) == nil)
        #expect(crossing(follower(before: 8), from: source, to: view(0..<18, keyframes: [10]), isUrgent: false) != nil)
    }

    @Test func aFrameIsFinishedFirst() {
        var inside = follower(before: 6)
        inside.took(upTo: 1, at: MonotonicTime(nanoseconds: 0))
        let (source, target) = (view(0..<20, keyframes: [0]), view(0..<20, keyframes: [10]))
        #expect(crossing(inside, from: source, to: target, isUrgent: true) == nil)
        #expect(crossing(follower(before: 6), from: source, to: target, isUrgent: true) != nil)
    }

    @Test func atTheEndOfAFeedNothingIsLeftOut() {
        var crossing = FeedCrossing(toTheEndOf: view(0..<4, keyframes: [0]))
        #expect(crossing.index == 8 && crossing.skippedCount == 0)
        #expect(view(4..<8, keyframes: [4]).reader.count { crossing.admits($0) } == 8)
    }
}

extension FeedReader {
    fileprivate func count(where predicate: (Output) -> Bool) -> Int {
        (startIndex..<endIndex).count { predicate(self[$0]) }
    }
}
