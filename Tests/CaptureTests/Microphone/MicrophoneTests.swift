import Codecs
import Foundation
import Logging
import Media
import Streams
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// The next event of a replayed sound card.
private enum CardEvent: Sendable {
    /// Reads with 5 ms of audio each.
    case audio(Int)
    /// Milliseconds that were not read.
    case lost(Int64)
    /// Reads without audio.
    case nothing(Int)
    /// Endless reads of 5 ms of audio that take no time.
    case racing
    case unplugged
    /// Stops the microphone, which ends the test.
    case stop
}

/// A sound card that replays events on a virtual clock.
private final class ReplayedCard: AudioDevice {
    let format = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 2)
    private let clock: VirtualClock
    private let stop: @Sendable () -> Void
    private var events: [CardEvent]

    init(_ events: [CardEvent], _ clock: VirtualClock, stop: @escaping @Sendable () -> Void) {
        self.events = events.reversed()
        self.clock = clock
        self.stop = stop
    }

    func read() throws(SourceFailure) -> AudioReadResult {
        guard let event = events.popLast() else { return .nothing }
        let bytes = [UInt8](repeating: 1, count: 240 * 4)
        let start = clock.clock.now()
        switch event {
        case .audio(let count):
            pass(milliseconds: 5)
            if count > 1 { events.append(.audio(count - 1)) }
            return .audio(CapturedAudio(bytes: bytes, instant: start))
        case .lost(let milliseconds):
            pass(milliseconds: milliseconds)
            return .lost
        case .nothing(let count):
            pass(milliseconds: 50)
            if count > 1 { events.append(.nothing(count - 1)) }
            return .nothing
        case .racing:
            events.append(.racing)
            return .audio(CapturedAudio(bytes: bytes, instant: start))
        case .unplugged: throw .microphone("hw:7", code: -19)
        case .stop:
            stop()
            return .nothing
        }
    }

    private func pass(milliseconds: Int64) {
        _ = clock.clock.wait(clock.clock.now().advanced(byMilliseconds: milliseconds), StopSignal())
    }
}

/// A microphone with replayed cards: each attempt to open it takes the next; `nil` means absent.
private final class MicrophoneTestRun: Sendable {
    let stream: Streams.Stream
    private let clock = VirtualClock()
    private let stopped = StopRelay()
    let microphone: Microphone

    init(_ attempts: [[CardEvent]?]) {
        let remaining = RemainingAttempts(attempts)
        let (clock, stopped) = (clock, stopped)
        stream = Streams.Stream(path: "/cam", epoch: clock.clock.now())
        microphone = Microphone(
            device: "hw:7", settings: AudioEncoder.Settings(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: clock.clock
        ) { _ throws(SourceFailure) in
            switch remaining.next() {
            case .some(.some(let events)): return ReplayedCard(events, clock) { stopped.stop() }
            case .some(.none): throw .microphone("hw:7", code: -19)
            case .none:
                stopped.stop()
                throw .microphone("hw:7", code: -19)
            }
        }
        stopped.relay { [microphone] in microphone.stop() }
    }

    /// Runs and returns the published units of the last twelve seconds, in this order.
    func run() throws -> [AccessUnit] {
        stream.announce([try microphone.track(TrackID(0))])
        try microphone.run(into: stream, track: TrackID(0))
        return try history()
    }

    func history() throws -> [AccessUnit] {
        let feed = try #require(stream.feed(UnitPackager.self, options: 0, for: SilentWaker()))
        return stream.joinPoint(in: feed).history
    }
}

private final class RemainingAttempts: Sendable {
    private let attempts: Mutex<[[CardEvent]?]>

    init(_ attempts: [[CardEvent]?]) {
        self.attempts = Mutex(attempts.reversed())
    }

    func next() -> [CardEvent]?? {
        attempts.withLock { $0.popLast() }
    }
}

/// Lets a card stop the microphone that is created after it.
private final class StopRelay: Sendable {
    private let target = Mutex<(@Sendable () -> Void)?>(nil)

    func relay(_ body: @escaping @Sendable () -> Void) {
        target.withLock { $0 = body }
    }

    func stop() {
        target.withLock { $0 }?()
    }
}

@Suite struct MicrophoneTests {
    @Test func itPublishesAudioUntilItIsStopped() throws {
        let testRun = MicrophoneTestRun([[.audio(400), .stop]])
        let units = try testRun.run()
        #expect(Self.isContinuous(units))
        #expect(Self.milliseconds(of: units) > 1_900)
        #expect(testRun.microphone.status.outageCount == 0)
    }

    @Test func anAbsentMicrophoneIsReplacedBySilenceInRealTime() throws {
        let testRun = MicrophoneTestRun([nil, nil, nil])
        let units = try testRun.run()
        #expect(Self.isContinuous(units))
        #expect((5_850...6_050).contains(Self.milliseconds(of: units)), "three times two seconds")
        #expect(testRun.microphone.status.isCapturing == false)
        #expect(testRun.microphone.status.outageCount == 1)
    }

    @Test func aFailedMicrophoneIsReplacedBySilenceUntilItIsBack() throws {
        let testRun = MicrophoneTestRun([[.audio(200), .unplugged], nil, [.audio(200), .stop]])
        let units = try testRun.run()
        #expect(Self.isContinuous(units))
        #expect((7_900...8_050).contains(Self.milliseconds(of: units)), "1 s of audio, 6 s without, 1 s of audio")
        let status = testRun.microphone.status
        #expect(status.isCapturing && status.outageCount == 1)
    }

    @Test func anXrunIsCountedAndSilenceFillsIt() throws {
        let testRun = MicrophoneTestRun([[.audio(200), .lost(60), .audio(100), .lost(300), .audio(100), .stop]])
        let units = try testRun.run()
        #expect(Self.isContinuous(units))
        #expect(testRun.microphone.status.overrunCount == 2)
        #expect((350...370).contains(testRun.microphone.status.insertedSilenceMilliseconds))
    }

    @Test func aMicrophoneThatDeliversNothingIsClosed() throws {
        let testRun = MicrophoneTestRun([[.audio(100), .nothing(60), .stop], [.audio(100), .stop]])
        let units = try testRun.run()
        #expect(testRun.microphone.status.outageCount == 1)
        #expect(testRun.microphone.status.isCapturing)
        #expect(units.count > 100)
    }

    @Test func aDeviceFasterThanRealTimeIsRejected() throws {
        let testRun = MicrophoneTestRun([[.racing], [.audio(10), .stop]])
        _ = try testRun.run()
        #expect(testRun.microphone.status.outageCount == 1)
    }

    @Test func theTrackIsKnownBeforeTheMicrophoneIsPresent() throws {
        let track = try MicrophoneTestRun([]).microphone.track(TrackID(3))
        #expect(track.id == TrackID(3) && track.kind == .audio && track.clockRate == .audio48k)
    }

    @Test func aFailedMicrophoneDoesNotStopTheVideo() throws {
        var settings = AudioEncoder.Settings()
        settings.channelCount = 99
        let microphone = Microphone(device: "none of that name", settings: settings, log: Logger(label: "test"))
        let stream = Streams.Stream(path: "/cam", epoch: MonotonicTime(nanoseconds: 0))
        var frameCount = 0
        try microphone.runAlongside(stream, track: TrackID(1)) { frameCount += 30 }
        #expect(frameCount == 30)
        #expect(throws: SourceFailure(reason: "the camera was unplugged")) {
            try microphone.runAlongside(stream, track: TrackID(1)) { () throws(SourceFailure) in
                throw SourceFailure(reason: "the camera was unplugged")
            }
        }
    }

    @Test func theProcessThatRecordsIsNamed() throws {
        let folder = try TemporaryFolder()
        for name in ["asound/card0/pcm0c/sub0", "asound/card1/pcm0c/sub0", "asound/card0/pcm0p/sub0", "77"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try folder.write("state: RUNNING\nowner_pid   : 77\ntrigger_time: 1.2\n", to: "asound/card0/pcm0c/sub0/status")
        try folder.write("closed\n", to: "asound/card1/pcm0c/sub0/status")
        try folder.write("owner_pid   : 78\n", to: "asound/card0/pcm0p/sub0/status")
        try folder.write("pulseaudio\n", to: "77/comm")
        let holders = SoundCardHolder.all(in: folder.path)
        #expect(holders == [SoundCardHolder(card: "card0", process: 77, command: "pulseaudio")])
        #expect(holders.first?.description == "pulseaudio (77) records from card0")
    }

    private static func isContinuous(_ units: [AccessUnit]) -> Bool {
        zip(units, units.dropFirst()).allSatisfy { $1.presentationTime.ticks - $0.presentationTime.ticks == 1024 }
    }

    /// The time from the epoch, when the microphone was opened, to the end of the last unit; the encoder holds two more frames.
    private static func milliseconds(of units: [AccessUnit]) -> Int64 {
        (units.last.map { ($0.presentationTime.ticks + 3 * 1024) * 1000 / 48_000 }) ?? 0
    }
}
