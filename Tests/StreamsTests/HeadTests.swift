import Media
import TestSupport
import Testing

@testable import Streams

struct HeadTests {
    private let stream = Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))

    /// The video track with other parameter sets, as after a change of size.
    private static let resizedVideo = Track(
        id: TrackID(0), clockRate: .video,
        format: .h264(H264.ParameterSets(sequence: [[0x67, 0x64, 0x00, 0x28]], picture: [[0x68, 0xEE]])!))
    /// The audio track in mono.
    private static let monoAudio = Track(
        id: TrackID(1), clockRate: .audio48k,
        format: .aac(AAC.AudioSpecificConfig(bytes: [0x11, 0x88], sampleRate: .audio48k, channelCount: 1)))

    private func announced(_ tracks: [Track]) throws -> Feed<HeadedPackager> {
        stream.announce(tracks)
        return try #require(feed())
    }

    private func feed() -> Feed<HeadedPackager>? {
        stream.feed(HeadedPackager.self, options: 0, for: CountingWaker())
    }

    @Test func aNewHeadComesWhereTheStreamChanges() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        stream.publish(.frame(40))
        stream.announce([Self.resizedVideo])
        stream.publish(.frame(80))  // Before the keyframe, so it is dropped.
        stream.publish(.frame(120, idr: true))
        stream.publish(.frame(160))
        var body = Body()
        body.update(from: feed)
        #expect(
            body.items == [
                .head([Track.video.format]), .fragment(0), .fragment(40), .head([Self.resizedVideo.format]),
                .fragment(120), .fragment(160),
            ])
    }

    @Test func aRestartedSourceWithTheSameTracksNeedsNoNewHead() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        stream.announce([.video])
        stream.publish(.frame(40, idr: true))
        var body = Body()
        body.update(from: feed)
        #expect(body.items == [.head([Track.video.format]), .fragment(0), .fragment(40)])
    }

    @Test func everyAnnouncementThatChangesTheHeadBeginsTheNextGeneration() throws {
        var packager = HeadedPackager(tracks: [.video], options: 0)
        #expect(packager.head?.generation == .first)
        var former = [Track.video]
        for (tracks, number) in [([Self.resizedVideo], 1), ([Self.resizedVideo], 1), ([Track.video], 2)] {
            let viewersContinue = packager.announced(tracks, after: former)
            former = tracks
            #expect(viewersContinue)
            #expect(packager.head?.generation.number == UInt64(number))
            #expect(packager.package(.frame(0, idr: true))?.head?.generation == packager.head?.generation)
        }
    }

    @Test func aChangeThatANewHeadDescribesEndsOnlyViewersWithoutHead() throws {
        let headed = try announced([.video, .audio])
        let headless = try #require(stream.feed(EchoPackager.self, options: 0, for: CountingWaker()))
        let tracks = [Self.resizedVideo, Self.monoAudio]
        stream.announce(tracks)
        var echoes = FeedReader<EchoPackager.Output>()
        headless.update(&echoes)
        #expect(echoes.hasEnded)
        #expect(stream.feed(EchoPackager.self, options: 0, for: CountingWaker()) !== headless)
        #expect(feed() === headed)
        stream.publish(.frame(0, idr: true))
        var body = Body()
        body.update(from: headed)
        #expect(body.items == [.head(tracks.map(\.format)), .fragment(0)])
    }

    @Test func aFollowerThatLeavesOutAGenerationGetsOnlyTheHeadThatItNeeds() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        var body = Body()
        body.update(from: feed)
        stream.announce([Self.resizedVideo])
        stream.publish(.frame(40, idr: true))
        stream.announce([.video, .audio])
        stream.publish(.frame(80, idr: true))
        body.join(at: feed.endIndex - 1, fastStart: [])
        body.update(from: feed)
        let tracks = [Track.video, .audio]
        #expect(
            body.items == [
                .head([Track.video.format]), .fragment(0), .head(tracks.map(\.format)), .fragment(80),
            ])
    }

    @Test func aFastStartNeedsTheHeadOfTheFeed() throws {
        let feed = try announced([.video])
        stream.publish(.frame(0, idr: true))
        stream.announce([Self.resizedVideo])
        stream.publish(.frame(40, idr: true))
        stream.publish(.frame(80))
        let point = stream.joinPoint(in: feed)
        stream.publish(.frame(120))
        var body = Body()
        body.join(at: point.nextIndex, fastStart: point.packager.fastStart(point.history))
        body.update(from: feed)
        #expect(
            body.items == [.head([Self.resizedVideo.format]), .fragment(40), .fragment(80), .fragment(120)])
    }

    /// Whenever bodies are written, they have the same content: a head before the first fragment, and before each fragment that
    /// follows a change of the tracks.
    @Test(arguments: 0..<50 as Range<UInt64>) func theHeadsOfABodyDependOnlyOnTheStream(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var tracks = [Track.video, .audio]
        let feed = try announced(tracks)
        var bodies = (0..<3).map { _ in Body() }
        var expected: [Body.Item] = []
        var needsHead = true
        for milliseconds in stride(from: Int64(0), to: 4_000, by: 40) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let former = tracks
                tracks[0] = Bool.random(using: &random) ? .video : Self.resizedVideo
                tracks[1] = Bool.random(using: &random) ? .audio : Self.monoAudio
                stream.announce(tracks)
                if tracks != former { needsHead = true }
            case 1:
                // The first body is written only at the end.
                bodies[Int.random(in: 1..<3, using: &random)].update(from: feed)
            case let choice:
                stream.publish(choice == 2 ? .frame(milliseconds, idr: true) : .audio(milliseconds))
                if needsHead { expected.append(.head(tracks.map(\.format))) }
                needsHead = false
                expected.append(.fragment(milliseconds))
            }
        }
        for index in bodies.indices {
            bodies[index].update(from: feed)
            #expect(bodies[index].items == expected)
        }
    }

    @Test func packagersWithoutHeadNeedNoneAfterAnyAnnouncement() throws {
        var packager = EchoPackager(tracks: [.video], options: 0)
        let viewersContinue = packager.announced([Self.resizedVideo], after: [.video])
        let output = try #require(packager.package(.frame(0, idr: true)))
        #expect(viewersContinue && packager.head == nil && output.head == nil)
        #expect(Follower(at: MonotonicTime(nanoseconds: 0)).missingHead(before: output) == nil)
    }
}
