import Codecs
import Foundation
import Logging
import Media
import Streams
import Synchronization
import Testing

@testable import Capture

/// A camera sees a flash and a microphone hears a click at every whole second: both are captured, coded, published in one
/// stream and decoded, in virtual time.
@Suite struct LipSyncTests {
    @Test(arguments: [150.0, -150.0])
    func aFlashAndItsClickAreWithinAMillisecond(drift: Double) throws {
        let scene = FlashAndClickScene(drift: drift)
        let units = try scene.film(seconds: 26)
        let tracks = try #require(scene.stream.announcement).tracks
        #expect(tracks.map(\.kind) == [.video, .audio])
        let clicks = try Clicks.instants(
            in: units.filter { $0.track == tracks[1].id }, of: tracks[1], epoch: scene.stream.epoch)
        let flashes = try Self.flashes(in: units.filter { $0.track == tracks[0].id }, epoch: scene.stream.epoch)
        // A card's clock is known well after some seconds; the stream keeps the last twelve.
        let offsets = flashes.compactMap { flash in clicks[flash.nearestSecond].map { $0 - flash } }
        #expect(offsets.count >= 9)
        #expect(offsets.allSatisfy { abs($0) <= 1_000_000 }, "\(offsets)")
        #expect(flashes.allSatisfy { abs($0.nanoseconds - $0.nearestSecond * 1_000_000_000) < 20_000 }, "\(flashes)")
    }

    private static func flashes(in units: [AccessUnit], epoch: MonotonicTime) throws -> [MonotonicTime] {
        let decoder = try VideoDecoder()
        let scaler = Scaler(width: 64, height: 48)
        return try (units.flatMap { try decoder.decode($0) } + decoder.finish()).compactMap { picture in
            let time = try #require(picture.presentationTime)
            guard try scaler.scale(picture).luma[32, 24] > 128 else { return nil }
            return epoch + ClockRate.video.nanoseconds(inTicks: time)
        }
    }
}

/// What a camera and a microphone capture in one virtual time, each on the thread that the source gives it.
private final class FlashAndClickScene {
    private let clock = ReplayClock()
    private let baton: TurnTaking
    private let drift: Double
    let stream: Streams.Stream

    init(drift: Double) {
        self.drift = drift
        baton = TurnTaking(start: clock.now)
        stream = Streams.Stream(path: "/cam", epoch: clock.now.advanced(byMilliseconds: -1000))
    }

    /// The units of the last twelve seconds.
    func film(seconds: Int) throws -> [AccessUnit] {
        let (clock, baton, drift) = (clock, baton, drift)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let microphone = Microphone(
            device: "hw:7", settings: AudioEncoder.Settings(), log: log, clock: clock.pace
        ) { _ in ClickingCard(baton, drift: drift) }
        let stop = StopOrder()
        let events = (0..<seconds * 30).flatMap(frame) + [.action { stop.source?.stop() }]
        let pending = UncheckedEvents(events: events)
        let source = CameraSource(
            path: "/dev/replay", settings: CameraSettings(), microphone: microphone, fanOut: nil, log: log,
            clock: clock.pace
        ) {
            ReplayedCamera([.small("YUYV")], clock: clock, events: pending.events)
        }
        stop.source = source
        try source.run(into: stream)
        try #require(baton.wasNeverLate)
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return stream.joinPoint(in: feed).history
    }

    /// A picture that is white at a whole second, and arrives an interval after it was captured; then its sound.
    private func frame(_ number: Int) -> [ReplayedCamera.Event] {
        let captured = Int64((Double(number) * 1e9 / 30).rounded())
        let arrival = Int64(number + 1) * ReplayedCamera.interval
        let frame = ReplayedCamera.Frame.yuyv(number % 30 == 0 ? 235 : 16, age: arrival - captured)
        return [.frames([frame]), .action { [clock, baton] in baton.listen(until: clock.now) }]
    }
}

private final class StopOrder {
    var source: CameraSource?
}

/// A sound card whose clock drifts, and which hears the clicks no sooner than the camera's time has come to them.
private final class ClickingCard: AudioDevice {
    let format = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 2)
    private let baton: TurnTaking
    private var card: VirtualCard

    init(_ baton: TurnTaking, drift: Double) {
        self.baton = baton
        card = VirtualCard(start: Double(baton.start.nanoseconds)) { _ in drift }
    }

    func read() throws(SourceFailure) -> AudioReadResult {
        let frameCount = format.sampleRate / 200
        guard baton.awaitSound(after: card.truth) else { return .nothing }
        let (stamp, start) = (card.stamp(), card.truth)
        card.advance(by: frameCount)
        let bytes = Clicks(format: format).bytes(frameCount, from: start, to: card.truth)
        return .audio(CapturedAudio(bytes: bytes, instant: stamp))
    }
}

/// Keeps the camera's and the sound card's threads at one virtual time.
private final class TurnTaking: @unchecked Sendable {
    /// Of the sound that is read at once, and a little more, in nanoseconds.
    private static let period = 6e6
    let start: MonotonicTime
    private let condition = NSCondition()
    private var seen: Double
    private var heard: Double
    private var isLate = false

    init(start: MonotonicTime) {
        self.start = start
        seen = Double(start.nanoseconds)
        heard = seen
    }

    /// Whether the card's thread always came in time.
    var wasNeverLate: Bool { condition.withLock { !isLate } }

    /// The camera's: waits until all sound up to this instant has been taken.
    func listen(until instant: MonotonicTime) {
        condition.withLock {
            seen = Double(instant.nanoseconds)
            condition.broadcast()
            while !isLate, heard + Self.period < seen { isLate = !condition.wait(until: Date() + 20) }
        }
    }

    /// The card's: all sound before `time` has been taken. Waits, at most 50 ms, until the next can be.
    func awaitSound(after time: Double) -> Bool {
        condition.withLock {
            heard = time
            condition.broadcast()
            let end = Date() + 0.05
            while seen < time + Self.period { guard condition.wait(until: end) else { return false } }
            return true
        }
    }
}
