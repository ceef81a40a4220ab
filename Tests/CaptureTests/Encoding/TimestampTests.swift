import Codecs
import Media
import RTP
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// SEI capture timestamps in frames that Apus encodes, in virtual time.
@Suite struct TimestampTests {
    private static let wall: Int64 = 1_763_689_871_000_000_000

    private static var small: EncodingSettings {
        var settings = EncodingSettings()
        (settings.video.width, settings.video.height) = (640, 360)
        (settings.video.encoder, settings.video.bitrate) = ("libx264", 2_000_000)
        settings.audio = nil
        return settings
    }

    /// A stream that keeps its whole history, two seconds after its epoch.
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

    /// The units of a test card's first frames; before each of `late`, its thread sleeps too long.
    private func playCard(
        _ frameCount: Int, _ captureTimeSEI: CaptureTimeSEI, _ settings: EncodingSettings = small, late: Set<Int> = []
    ) throws -> Stream {
        let clock = VirtualClock()
        let card = TestCard(settings, clock: clock.clock, wallClock: { clock.clock.now().nanoseconds })
        let stream = stream(captureTimeSEI, on: clock.clock)
        let counter = FrameCounter { count in
            if late.contains(count) { clock.pass(milliseconds: 170) }
            if count == frameCount { card.stop() }
        }
        // A viewer that joins at the first frame needs the tracks before it.
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

    @Test func seiTimestampsEqualTheOverlaysEvenAfterDroppedFrames() throws {
        let units = try units(of: try playCard(40, .all, late: [7, 8, 30]))
        let decoder = try VideoDecoder()
        let frames = try units.flatMap { try decoder.decode($0) } + decoder.finish()
        let scaler = Scaler(width: 640, height: 360)
        let overlays = try frames.map { LumaFrame(try scaler.scale($0)).timestampOverlays.map(\.code) }
        #expect(overlays.count == 40 && overlays.last?.map(\.frameNumber) == [39 + 12])
        let timestamps = try units.map { try #require($0.captureTimestamp) }
        let expected = timestamps.map {
            [TimestampOverlay(unixNanoseconds: $0.wallClock.unixNanoseconds, frameNumber: $0.frameNumber)]
        }
        #expect(overlays == expected)
    }

    @Test func seiTimestampsEqualThePresentationTimes() throws {
        let stream = try playCard(10, .all)
        for unit in try units(of: stream) {
            let timestamp = try #require(unit.captureTimestamp)
            #expect(timestamp.monotonic == stream.epoch + unit.presentationTime.nanoseconds)
            let sinceStart = timestamp.monotonic - stream.epoch.advanced(byMilliseconds: 2_000)
            #expect(timestamp.wallClock == NTPTime(unixNanoseconds: Self.wall + sinceStart))
            // Encoding takes no time here. Ticks are rounded down.
            #expect(timestamp.encodingBegins ?? .max < 12 && timestamp.encodingBegins == timestamp.encodingEnds)
        }
    }

    @Test func byDefaultSEITimestampsCostNoPacketAndUnderAThousandthOfTheBitrate() throws {
        let stream = try playCard(130, .keyframes)
        let packager = RTPPackager(tracks: try #require(stream.announcement?.tracks), options: .init())
        func cost(_ units: [AccessUnit]) -> (packets: Int, bytes: Int) {
            let runs = units.compactMap { packager.package($0) }
            return (runs.reduce(0) { $0 + $1.packets.count }, runs.reduce(0) { $0 + $1.byteCount })
        }
        // The frames must be equal: an encoder that works against a time budget produces others each time.
        let units = try units(of: stream)
        #expect(units.count { $0.captureTimestamp != nil } == 3)
        let (with, without) = (cost(units), cost(units.map(\.withoutTimestamp)))
        #expect(with.packets == without.packets)
        let added = with.bytes - without.bytes
        #expect(added > 0 && added * 1000 < without.bytes, "\(added) of \(without.bytes) bytes")
    }

    @Test func aTranscodedFileHasSEITimestampsThatContinueAcrossLoops() async throws {
        let clock = VirtualClock().clock
        let source = FileSource(
            .file(try await Clip.needsTranscoding.path()), loops: true, encoding: Self.small, clock: clock)
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

/// Performs an action when frames are published, on the source's thread.
private final class FrameCounter: Waker {
    private let count = Atomic(0)
    private let act: @Sendable (Int) -> Void

    init(_ act: @escaping @Sendable (_ count: Int) -> Void) { self.act = act }

    func wake() { act(count.add(1, ordering: .relaxed).newValue) }
}
