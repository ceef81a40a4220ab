import Media
import Synchronization
import Testing

@testable import Streams

struct StreamTests {
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
    private let waker = CountingWaker()

    private func announced(_ tracks: [Track] = [.video, .audio]) throws -> Feed<EchoPackager> {
        stream.announce(tracks)
        return try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
    }

    private func outputs(of feed: Feed<EchoPackager>) -> [Int64] {
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        return (reader.startIndex..<reader.endIndex).map { reader[$0].presentationTime.nanoseconds / 1_000_000 }
    }

    /// A session description must not say how the capture times of a former source were determined.
    @Test func anotherSourceForgetsTheOriginOfCaptureTimes() {
        stream.captureTimeOrigin = .senderReports
        #expect(stream.captureTimeOrigin == .senderReports)
        stream.attach(nil)
        #expect(stream.captureTimeOrigin == nil)
    }

    /// Loops read a feed only if its number of changes is another one.
    @Test func everyOutputAndAnnouncementChangesTheNumberOfChanges() throws {
        let feed = try announced()
        var counts = [feed.changeCount]
        stream.publish(.frame(0))  // Dropped: before the first keyframe.
        #expect(feed.changeCount == counts[0])
        stream.publish(.frame(40, idr: true))
        counts.append(feed.changeCount)
        stream.publish(.audio(50))
        counts.append(feed.changeCount)
        stream.announce([.video, .audio])
        counts.append(feed.changeCount)
        #expect(Set(counts).count == 4)
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        #expect(feed.changeCount == counts[3])
    }

    @Test func aStreamWithoutTracksHasNoFeed() {
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) == nil)
    }

    @Test func publishedUnitsAreCountedAndDroppedOnesAreNot() throws {
        _ = try announced()
        let before = stream.published
        stream.publish(.frame(0, byteCount: 1_000))  // Before the first keyframe.
        stream.publish(.frame(40, idr: true, byteCount: 700))
        stream.publish(.frame(80, byteCount: 200))
        stream.publish(.audio(80))
        let published = stream.published.since(before)
        #expect(published.pictureCount == 2)
        #expect(published.byteCount == 900 + AccessUnit.audio(80).bytes.count)
    }

    @Test func aFeedIsCreatedOnceAndReplaysTheHistory() throws {
        stream.announce([.video])
        stream.publish(.frame(0, idr: true))
        stream.publish(.frame(40))
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        stream.publish(.frame(80))
        #expect(outputs(of: feed) == [0, 40, 80])
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) === feed)
        #expect(stream.feed(EchoPackager.self, options: 1, for: waker) !== feed)
        #expect(waker.count.load(ordering: .relaxed) == 1)
    }

    @Test func aFeedWithoutReadersContinuesForASecondAndIsThenRemoved() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        feed.detach(waker)
        for instant in 1...20 { stream.publish(.frame(Int64(instant) * 50)) }
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) === feed)
        feed.detach(waker)
        for instant in 21...42 { stream.publish(.frame(Int64(instant) * 50)) }
        #expect(outputs(of: feed).last == 2_000)
        let another = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        #expect(another !== feed)
        #expect(outputs(of: another).count == 43)
    }

    @Test func theViewersOfAnotherLoopKeepAFeed() throws {
        let feed = try announced([.video])
        _ = stream.feed(EchoPackager.self, options: 0, for: CountingWaker())
        feed.detach(waker)
        for instant in 0...100 { stream.publish(.frame(Int64(instant) * 50, idr: instant == 0)) }
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) === feed)
    }

    @Test func theFeedContinuesAfterTheHistoryWithoutAGap() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        stream.publish(.frame(40))
        let point = stream.joinPoint(in: feed)
        stream.publish(.frame(80))
        #expect(point.history.map(\.milliseconds) == [0, 40])
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        #expect(reader[point.nextIndex].presentationTime.nanoseconds == 80_000_000)
    }

    @Test func afterASourceRestartsVideoContinuesAtAKeyframe() throws {
        let feed = try announced()
        stream.publish(.frame(0, idr: true))
        stream.announce([.video, .audio])
        stream.publish(.frame(40))
        stream.publish(.audio(41))
        stream.publish(.frame(80, idr: true))
        #expect(outputs(of: feed) == [0, 41, 80])
        #expect(stream.joinPoint(in: feed).history.map(\.milliseconds) == [41, 80])
    }

    @Test func changedParametersRaiseTheVersionAndKeepTheViewers() throws {
        let feed = try announced([.video])
        #expect(stream.announcement?.version == 1)
        stream.announce([.video])
        #expect(stream.announcement?.version == 1)
        let sets = try #require(H264.ParameterSets(sequence: [[0x67, 0x64, 0, 0x28]], picture: [[0x68, 0xEE]]))
        stream.announce([Track(id: TrackID(0), clockRate: .video, format: .h264(sets))])
        #expect(stream.announcement?.version == 2)
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) === feed)
    }

    @Test func changedTracksEndTheFeed() throws {
        let feed = try announced([.video])
        stream.announce([.video, .audio])
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        #expect(reader.hasEnded)
        #expect(stream.feed(EchoPackager.self, options: 0, for: waker) !== feed)
    }

    /// AAC configurations with the same clock rate, 24 kHz.
    @Test(arguments: [("mono", [0x13, 0x08]), ("with SBR", [0x2B, 0x11, 0x88]), ("the same", [0x13, 0x10])])
    func aChangedAudioConfigurationEndsTheFeed(name: String, bytes: [UInt8]) throws {
        func audio(_ bytes: [UInt8]) throws -> Track {
            let configuration = try #require(AAC.AudioSpecificConfig(parsing: bytes))
            return Track(id: TrackID(1), clockRate: configuration.sampleRate, format: .aac(configuration))
        }
        let (former, next) = (try audio([0x13, 0x10]), try audio(bytes))
        #expect(former.clockRate == next.clockRate)
        let feed = try announced([.video, former])
        stream.announce([.video, next])
        var reader = FeedReader<EchoPackager.Output>()
        feed.update(&reader)
        #expect(reader.hasEnded == (name != "the same"))
    }

    @Test func unitsOfUnknownTracksAreDropped() throws {
        let feed = try announced([.video])
        stream.publish(.audio(5))
        #expect(outputs(of: feed).isEmpty)
    }

    @Test func keyframesAreRequestedFromTheSourceWithinTheLimit() throws {
        _ = try announced([.video])
        let source = CountingSource()
        stream.attach(source)
        let now = MonotonicTime(nanoseconds: 0)
        for _ in 0..<5 { #expect(stream.requestKeyframe(at: now) == nil) }
        #expect(source.requests.load(ordering: .relaxed) == 1)
        stream.publish(.frame(0, idr: true))
        #expect(stream.requestKeyframe(at: now) == nil)
        #expect(source.requests.load(ordering: .relaxed) == 2)
    }

    @Test func aReaderThatIsRarelyUpdatedSeesTheCurrentRing() throws {
        var limits = Stream.Limits()
        limits.history = .init(nanoseconds: 1_000_000_000, byteCount: 1_000_000)
        let stream = Stream(path: "/short", epoch: MonotonicTime(nanoseconds: 0), limits: limits)
        stream.announce([.video])
        let feed = try #require(stream.feed(EchoPackager.self, options: 0, for: waker))
        var reader = FeedReader<EchoPackager.Output>()
        for instant in 0..<100 {
            stream.publish(.frame(Int64(instant) * 40, idr: instant == 0))
            if instant == 3 { feed.update(&reader) }
        }
        feed.update(&reader)
        #expect(reader.endIndex == 100 && reader.startIndex == 74)
        #expect(reader[74].presentationTime.nanoseconds == 74 * 40_000_000)
    }
}
