import Codecs
import Media
import RTP
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// The time of capture in pictures that Apus codes, in virtual time.
@Suite struct TimestampTests {
    private static let wall: Int64 = 1_763_689_871_000_000_000

    private static var small: EncodingSettings {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height) = (640, 360)
        (settings.video.encoder, settings.video.bitrate) = ("libx264", 2_000_000)
        settings.audio = nil
        return settings
    }

    /// A stream of which nothing is forgotten, two seconds after its epoch.
    private func stream(_ captureTimeSEI: CaptureTimeSEI, on clock: PaceClock) -> Stream {
        let now = clock.now()
        var limits = Stream.Limits()
        limits.history.nanoseconds = 60_000_000_000
        let stream = Stream(
            path: "/cam",
            clock: StreamClock(epoch: now.advanced(byMilliseconds: -2_000)) {
                ClockReading(monotonic: clock.now(), unixNanoseconds: Self.wall + (clock.now() - now))
            }, limits: limits)
        stream.captureTimeSEI = captureTimeSEI
        return stream
    }

    /// What a stream shows when its test card has made so many pictures; before each of `late`, its thread sleeps too long.
    private func playCard(
        _ pictureCount: Int, _ captureTimeSEI: CaptureTimeSEI, _ settings: EncodingSettings = small, late: Set<Int> = []
    ) throws -> Stream {
        let clock = VirtualClock()
        let card = TestCard(settings, clock: clock.clock, wallClock: { clock.clock.now().nanoseconds })
        let stream = stream(captureTimeSEI, on: clock.clock)
        let counter = PictureCounter { count in
            if late.contains(count) { clock.pass(milliseconds: 170) }
            if count == pictureCount { card.stop() }
        }
        // Whoever is to be there for the first picture needs the tracks before it.
        let timeline = TestCardTimeline(frameRate: .thirty, now: 0, wallNanoseconds: 0)
        stream.announce(try TestCardPipeline(settings, timeline: timeline).tracks)
        let feed = stream.feed(UnitPackager.self, options: 0, for: counter)
        try card.run(into: stream)
        withExtendedLifetime(feed) {}
        return stream
    }

    private func units(of stream: Stream) throws -> [AccessUnit] {
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return stream.joinPoint(in: feed).history
    }

    @Test func theySayWhatTheBlockCodeSaysAlsoWherePicturesWereLeftOut() throws {
        let units = try units(of: try playCard(40, .all, late: [7, 8, 30]))
        let decoder = try VideoDecoder()
        let pictures = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        let scaler = Scaler(width: 640, height: 360)
        let burnedIn = try pictures.map { LumaFrame(try scaler.scale($0)).timestampOverlays.map(\.code) }
        #expect(burnedIn.count == 40 && burnedIn.last?.map(\.frameNumber) == [39 + 12])
        let told = try units.map { try #require($0.captureTimestamp) }
        let expected = told.map {
            [TimestampOverlay(unixNanoseconds: $0.wallClock.unixNanoseconds, frameNumber: $0.frameNumber)]
        }
        #expect(burnedIn == expected)
    }

    @Test func theyTellTheInstantThatThePresentationTimeIs() throws {
        let stream = try playCard(10, .all)
        for unit in try units(of: stream) {
            let timestamp = try #require(unit.captureTimestamp)
            #expect(timestamp.monotonic == stream.epoch + unit.presentationTime.nanoseconds)
            let sinceStart = timestamp.monotonic - stream.epoch.advanced(byMilliseconds: 2_000)
            #expect(timestamp.wallClock == NTPTime(unixNanoseconds: Self.wall + sinceStart))
            // Coding takes no time here. Ticks are rounded down.
            #expect(timestamp.encodingBegins ?? .max < 12 && timestamp.encodingBegins == timestamp.encodingEnds)
        }
    }

    @Test func byDefaultTheyCostNoPacketAndUnderAThousandthOfTheBitrate() throws {
        let stream = try playCard(130, .keyframes)
        let packager = RTPPackager(tracks: try #require(stream.announcement?.tracks), options: .init())
        func cost(_ units: [AccessUnit]) -> (packets: Int, bytes: Int) {
            let runs = units.compactMap { packager.package($0) }
            return (runs.reduce(0) { $0 + $1.packets.count }, runs.reduce(0) { $0 + $1.byteCount })
        }
        // The same pictures: an encoder that works on a budget of time makes others each time.
        let units = try units(of: stream)
        #expect(units.count { $0.captureTimestamp != nil } == 3)
        let (with, without) = (cost(units), cost(units.map(\.withoutTimestamp)))
        #expect(with.packets == without.packets)
        let added = with.bytes - without.bytes
        #expect(added > 0 && added * 1000 < without.bytes, "\(added) of \(without.bytes) bytes")
    }

    @Test func aFilmThatIsTranscodedHasItsInstantsAndGoesOnCountingAcrossLoops() async throws {
        let clock = VirtualClock().clock
        let source = FileSource(
            path: try await Clip.needsTranscoding.path(), loops: true, encoding: Self.small, clock: clock)
        let stream = stream(.all, on: clock)
        var units: [AccessUnit] = []
        try withoutActuallyEscaping({ (unit: AccessUnit) in
            stream.publish(unit)
            units.append(unit)
            if units.count == 170 { source.stop() }
        }) { publish in
            try source.run(epoch: stream.epoch, announce: stream.announce, publish: publish)
        }
        let timestamps = try self.units(of: stream).map { try #require($0.captureTimestamp) }
        #expect(timestamps.map(\.frameNumber) == Array(0..<170))
        #expect(timestamps.map(\.monotonic) == units.map { stream.epoch + $0.presentationTime.nanoseconds })
    }
}

extension AccessUnit {
    fileprivate var withoutTimestamp: AccessUnit {
        AccessUnit(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            nalUnits: units.map { Array(bytes[$0]) }.filter { CaptureTimestamp(parsing: $0) == nil })
    }
}

/// Acts when pictures are published: on the source's own thread.
private final class PictureCounter: Waker {
    private let count = Atomic(0)
    private let act: @Sendable (Int) -> Void

    init(_ act: @escaping @Sendable (_ count: Int) -> Void) { self.act = act }

    func wake() { act(count.add(1, ordering: .relaxed).newValue) }
}
