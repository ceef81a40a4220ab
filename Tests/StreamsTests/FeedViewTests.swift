import Media
import TestSupport
import Testing

@testable import Streams

/// Where receivers begin that wait for a keyframe.
struct FeedViewTests {
    private struct Output: PackagedUnit {
        let track: TrackID
        let presentationTime: MediaTime
        let isKeyframe: Bool
        let byteCount = 100
        let part = AccessUnit.Part.whole
    }

    private static let (video, audio, metadata) = (TrackID(0), TrackID(1), TrackID(2))

    /// A view of outputs with these tracks and times in milliseconds. No frame is a keyframe.
    private func view(of outputs: [(track: TrackID, milliseconds: Int64)]) -> FeedView<Output> {
        let view = FeedView<Output>()
        var ring = Ring<Output>(bounds: .init(nanoseconds: 3_000_000_000))
        for output in outputs {
            let time = MediaTime(ticks: output.milliseconds * 90, rate: .video)
            ring.append(
                Output(track: output.track, presentationTime: time, isKeyframe: output.track != Self.video),
                nanoseconds: time.nanoseconds, byteCount: 100)
        }
        view.reader.update(from: ring, hasEnded: false)
        return view
    }

    @Test func theStartIncludesTheNewestAudioThatIsNotLaterThanTheNewestFrame() {
        let view = view(of: [(Self.video, 0), (Self.audio, 10), (Self.audio, 31), (Self.video, 33), (Self.audio, 52)])
        #expect(view.liveStart(leading: Self.video, others: [Self.audio]) == 2)
    }

    @Test func theStartIncludesEachOtherTrack() {
        let view = view(of: [(Self.audio, 1), (Self.metadata, 2), (Self.audio, 31), (Self.video, 33)])
        #expect(view.liveStart(leading: Self.video, others: [Self.audio, Self.metadata]) == 1)
        #expect(view.liveStart(leading: Self.video, others: [Self.audio]) == 2)
        #expect(view.liveStart(leading: Self.video, others: []) == 4)
    }

    @Test func audioThatHasBeenSilentDoesNotCount() {
        let view = view(of: [(Self.audio, 0), (Self.video, 100), (Self.video, 129)])
        #expect(view.liveStart(leading: Self.video, others: [Self.audio]) == 3)
    }

    @Test func aViewWithoutOutputsOrFramesBeginsAtItsEnd() {
        #expect(view(of: []).liveStart(leading: Self.video, others: [Self.audio]) == 0)
        #expect(view(of: [(Self.audio, 0)]).liveStart(leading: Self.video, others: [Self.audio]) == 1)
    }

    /// However late the audio or the video comes, a viewer that joins at any moment gets audio before its keyframe's time.
    @Test(arguments: [0, 20, 60] as [Int64])
    func noKeyframeIsBeforeTheFirstAudio(videoDelay: Int64) throws {
        let frames = (0..<30).map { Arrival(at: $0 * 40 + videoDelay, track: Self.video, time: $0 * 40) }
        let units = (0..<60).map { Arrival(at: $0 * 21 + 21, track: Self.audio, time: $0 * 21) }
        let arrivals = (frames + units).sorted { $0.at < $1.at }
        for count in 10..<(arrivals.count - 10) {
            let view = view(of: arrivals[..<count].map { ($0.track, $0.time) })
            let start = Int(view.liveStart(leading: Self.video, others: [Self.audio]))
            let firstAudio = try #require(arrivals[start...].first { $0.track == Self.audio })
            let nextFrame = try #require(arrivals[count...].first { $0.track == Self.video })
            #expect(firstAudio.time <= nextFrame.time)
        }
    }

    /// An output that comes at a time. Times in milliseconds.
    private struct Arrival {
        let at: Int64
        let track: TrackID
        let time: Int64
    }
}
