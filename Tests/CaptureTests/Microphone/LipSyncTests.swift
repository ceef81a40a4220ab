import Codecs
import Foundation
import Logging
import Media
import Streams
import Synchronization
import Testing

@testable import Capture

/// A camera captures a flash, and a microphone a click, at every whole second. Both are encoded, published in one stream and
/// decoded, in virtual time.
@Suite struct LipSyncTests {
    @Test(arguments: [150.0, -150.0])
    func aFlashAndItsClickAreWithinAMillisecond(drift: Double) throws {
        let scene = FlashAndClickScene(drift: drift)
        let units = try scene.capture(seconds: 26)
        let tracks = try #require(scene.stream.announcement).tracks
        #expect(tracks.map(\.kind) == [.video, .audio])
        let clicks = try Clicks.instants(
            in: units.filter { $0.track == tracks[1].id }, of: tracks[1], epoch: scene.stream.epoch)
        let flashes = try Self.flashes(in: units.filter { $0.track == tracks[0].id }, epoch: scene.stream.epoch)
        // The card's clock is known well after some seconds; the stream keeps the last twelve.
        let offsets = flashes.compactMap { flash in clicks[flash.nearestSecond].map { $0 - flash } }
        #expect(offsets.count >= 9)
        #expect(offsets.allSatisfy { abs($0) <= 1_000_000 }, "\(offsets)")
        #expect(flashes.allSatisfy { abs($0.nanoseconds - $0.nearestSecond * 1_000_000_000) < 20_000 }, "\(flashes)")
    }

    private static func flashes(in units: [AccessUnit], epoch: MonotonicTime) throws -> [MonotonicTime] {
        let decoder = try VideoDecoder()
        let scaler = Scaler(width: 64, height: 48)
        return try (units.flatMap { try decoder.decode($0) } + decoder.finish()).compactMap { frame in
            let time = try #require(frame.presentationTime)
            guard try scaler.scale(frame).luma[32, 24] > 128 else { return nil }
            return epoch + ClockRate.video.nanoseconds(inTicks: time)
        }
    }
}

/// Captures from a camera and a microphone in one virtual time, on the threads that the source creates.
private final class FlashAndClickScene {
    private let clock = ReplayClock()
    private let turns: TurnTaking
    private let drift: Double
    let stream: Streams.Stream

    init(drift: Double) {
        self.drift = drift
        turns = TurnTaking(start: clock.now)
        stream = Streams.Stream(path: "/cam", epoch: clock.now.advanced(byMilliseconds: -1000))
    }

    /// Captures for `seconds` and returns the units of the last twelve.
    func capture(seconds: Int) throws -> [AccessUnit] {
        let (clock, turns, drift) = (clock, turns, drift)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let microphone = Microphone(
            device: "hw:7", settings: AudioEncoder.Settings(), log: log, clock: clock.pace
        ) { _ in ClickingCard(turns, drift: drift) }
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
        try #require(turns.wasNeverLate)
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return stream.joinPoint(in: feed).history
    }

    /// A frame that is white at a whole second and arrives one interval after its capture; then its audio.
    private func frame(_ number: Int) -> [ReplayedCamera.Event] {
        let captured = Int64((Double(number) * 1e9 / 30).rounded())
        let arrival = Int64(number + 1) * ReplayedCamera.interval
        let frame = ReplayedCamera.Frame.yuyv(number % 30 == 0 ? 235 : 16, age: arrival - captured)
        return [.frames([frame]), .action { [clock, turns] in turns.listen(until: clock.now) }]
    }
}

private final class StopOrder {
    var source: CameraSource?
}

/// A sound card with clock drift, which delivers a click only after the camera's time has reached it.
private final class ClickingCard: AudioDevice {
    let format = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 2)
    private let turns: TurnTaking
    private var card: VirtualCard

    init(_ turns: TurnTaking, drift: Double) {
        self.turns = turns
        card = VirtualCard(start: Double(turns.start.nanoseconds)) { _ in drift }
    }

    func read() throws(SourceFailure) -> AudioReadResult {
        let frameCount = format.sampleRate / 200
        guard turns.awaitAudio(after: card.truth) else { return .nothing }
        let (stamp, start) = (card.stamp(), card.truth)
        card.advance(by: frameCount)
        let bytes = Clicks(format: format).bytes(frameCount, from: start, to: card.truth)
        return .audio(CapturedAudio(bytes: bytes, instant: stamp))
    }
}

/// Synchronises the camera's and the sound card's threads in virtual time.
private final class TurnTaking: @unchecked Sendable {
    /// Slightly more than the audio of one read, in nanoseconds.
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

    /// Whether the card's thread was always on time.
    var wasNeverLate: Bool { condition.withLock { !isLate } }

    /// Called by the camera: waits until all audio up to this instant has been taken.
    func listen(until instant: MonotonicTime) {
        condition.withLock {
            seen = Double(instant.nanoseconds)
            condition.broadcast()
            while !isLate, heard + Self.period < seen { isLate = !condition.wait(until: Date() + 20) }
        }
    }

    /// Called by the card: all audio before `time` has been taken. Waits at most 50 ms until more may be taken.
    func awaitAudio(after time: Double) -> Bool {
        condition.withLock {
            heard = time
            condition.broadcast()
            let end = Date() + 0.05
            while seen < time + Self.period { guard condition.wait(until: end) else { return false } }
            return true
        }
    }
}
