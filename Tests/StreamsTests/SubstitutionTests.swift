import Media
import Synchronization
import Testing

@testable import Streams

/// A substitute for an absent source, in virtual time.
struct SubstitutionTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime { .init(nanoseconds: milliseconds * 1_000_000) }

    private static func received(
        _ unit: AccessUnit, _ substitution: inout Substitution, isLeading: Bool = true, at milliseconds: Int64
    ) -> Bool {
        substitution.received(
            unit, isLeading: isLeading,
            sinceDecodeTime: milliseconds * 1_000_000 - unit.decodeTime.nanoseconds, at: at(milliseconds))
    }

    @Test func aSubstituteIsDueAfterTheSilence() {
        var substitution = Substitution(patience: 2_000_000_000, at: Self.at(0))
        #expect(!substitution.isDue(at: Self.at(1_999)) && substitution.isDue(at: Self.at(2_000)))
        _ = Self.received(.frame(1_950, idr: true), &substitution, at: 2_000)
        #expect(!substitution.isDue(at: Self.at(3_999)) && substitution.isDue(at: Self.at(4_000)))
        #expect(substitution.lastKeyframe?.presentationTime == AccessUnit.frame(1_950).presentationTime)
    }

    /// The substitute has the source's delay, so that players see no jump.
    @Test func theSubstituteContinuesTheSourcesTimes() {
        var substitution = Substitution(patience: 2_000_000_000, at: Self.at(0))
        _ = Self.received(.frame(1_000, idr: true), &substitution, at: 1_120)
        #expect(substitution.substituteDelay == 120_000_000)
        // A source that was late by a minute, or ahead of time, does not move the substitute that far.
        _ = Self.received(.frame(1_040), &substitution, at: 61_040)
        #expect(substitution.substituteDelay == 2_000_000_000)
        _ = Self.received(.frame(70_000), &substitution, at: 69_000)
        #expect(substitution.substituteDelay == 0)
    }

    @Test func theSourceTakesOverAtItsKeyframe() {
        var substitution = Substitution(patience: 2_000_000_000, at: Self.at(0))
        substitution.substituted()
        #expect(!Self.received(.frame(3_100), &substitution, at: 3_100))
        #expect(!Self.received(.audio(3_100), &substitution, isLeading: false, at: 3_100))
        #expect(substitution.isActive && substitution.isDue(at: Self.at(3_100)))
        #expect(Self.received(.frame(3_200, idr: true), &substitution, at: 3_200))
        #expect(!substitution.isActive && !substitution.isDue(at: Self.at(3_200)))
        #expect(Self.received(.audio(3_210), &substitution, isLeading: false, at: 3_210))
    }
}

/// A stream whose source is absent for a time.
struct AbsentSourceTests {
    /// The present, in milliseconds since the epoch.
    private final class Present: Sendable {
        let milliseconds = Mutex<Int64>(0)
        var reading: ClockReading {
            ClockReading(monotonic: .init(nanoseconds: milliseconds.withLock { $0 } * 1_000_000), unixNanoseconds: 0)
        }
    }

    private let present = Present()
    private let stream: Stream
    private let waker = CountingWaker()

    init() {
        stream = Stream(path: "/cam", clock: StreamClock { [present] in present.reading })
    }

    private func pass(to milliseconds: Int64) { present.milliseconds.withLock { $0 = milliseconds } }

    private func outputs(of feed: Feed<EchoPackager>) -> [Int64] {
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        return (reader.startIndex..<reader.endIndex).map { reader[$0].presentationTime.nanoseconds / 1_000_000 }
    }

    @Test func viewersKeepTheirFeedAndSeeNoTimeGoBack() throws {
        stream.enableSubstitute(patience: 2_000_000_000)
        stream.announce([.video])
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        stream.publish(.frame(0, idr: true))
        pass(to: 1_999)
        #expect(stream.absence() == nil)
        stream.publishSubstitute(.frame(1_999, idr: true))
        pass(to: 2_000)
        let absence = try #require(stream.absence())
        #expect(absence.tracks == [.video] && absence.silence == 2_000_000_000 && absence.nanoseconds == 2_000_000_000)
        let published = stream.published
        stream.publishSubstitute(.frame(2_000, idr: true))
        stream.publishSubstitute(.frame(2_200))
        #expect(stream.published == published)
        // The source returns: it announces its tracks, and has to wait for its keyframe.
        pass(to: 2_300)
        stream.announce([.video])
        stream.publish(.frame(2_250))
        stream.publishSubstitute(.frame(2_400))
        stream.publish(.frame(2_450, idr: true))
        stream.publishSubstitute(.frame(2_600))
        stream.publish(.frame(2_490))
        #expect(outputs(of: feed) == [0, 2_000, 2_200, 2_400, 2_450, 2_490])
        #expect(stream.absence() == nil)
    }

    /// Players whose audio pauses would wait for the lost time later, so silence begins as soon as the source has ended.
    @Test func audioIsSilentAsSoonAsTheSourceHasEnded() throws {
        stream.enableSubstitute(patience: 2_000_000_000)
        let audio = Track(id: TrackID(1), format: .opus(channelCount: 2))
        stream.announce([.video, audio])
        stream.publish(.frame(0, idr: true))
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        #expect(stream.missingAudio() == nil)
        stream.publishSubstitute(.audio(10))
        pass(to: 100)
        stream.sourceEnded(because: "unplugged")
        #expect(stream.missingAudio()?.tracks == [audio] && stream.absence() == nil)
        stream.publishSubstitute(.audio(100))
        stream.publishSubstitute(.frame(100, idr: true))
        stream.publish(.frame(140, idr: true))
        #expect(stream.missingAudio() == nil)
        #expect(outputs(of: feed) == [0, 100, 140])
    }

    /// A source without audio, and with its video elsewhere, takes its place among the announced tracks.
    @Test func viewersKeepTheTracksThatTheyWereAnnounced() throws {
        stream.enableSubstitute(patience: 2_000_000_000, keepsTracks: true)
        let audio = Track(id: TrackID(0), format: .opus(channelCount: 2))
        let video = Track(id: TrackID(1), format: Track.video.format)
        stream.announceSubstitute([audio, video])
        #expect(stream.promisedTracks == [audio, video] && stream.sourceTracks == nil)
        stream.announce([.video])
        #expect(stream.announcement?.tracks == [audio, video] && stream.sourceTracks == [.video])
        stream.announceSubstitute([.video])
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        stream.publish(.frame(40, idr: true))
        #expect(stream.missingAudio()?.tracks == [audio])
        stream.publishSubstitute(.audio(20).on(TrackID(0)))
        #expect(outputs(of: feed) == [40, 20])
    }

    @Test func nothingIsShownIfItIsNotEnabledOrTheInputHasEnded() {
        pass(to: 60_000)
        #expect(stream.absence() == nil)
        stream.enableSubstitute(patience: 1_000_000_000)
        pass(to: 62_000)
        #expect(stream.absence() != nil)
        stream.end()
        #expect(stream.absence() == nil)
    }
}
