import Codecs
import Media
import TestSupport
import Testing

@testable import Capture

/// A card that captures a click at every whole second of true time, and a pipeline's output.
private struct ClickRecording {
    let epoch = MonotonicTime(nanoseconds: 4_000_000_000)
    let format: SampleFormat
    let pipeline: MicrophonePipeline
    private var card: VirtualCard
    private(set) var units: [AccessUnit] = []

    init(_ format: SampleFormat, drift: Double) throws {
        self.format = format
        pipeline = try MicrophonePipeline(AudioEncoder.Settings(), track: TrackID(1), epoch: epoch)
        pipeline.open(format)
        card = VirtualCard(sampleRate: format.sampleRate, start: 5_003_000_000) { _ in drift }
    }

    /// Captures periods of 5 ms for `seconds`.
    mutating func run(seconds: Int) throws {
        let frameCount = format.sampleRate / 200
        for _ in 0..<seconds * 200 {
            let stamp = card.stamp()
            let start = card.truth
            card.advance(by: frameCount)
            let bytes = Clicks(format: format).bytes(frameCount, from: start, to: card.truth)
            units += try pipeline.units(of: CapturedAudio(bytes: bytes, instant: stamp))
        }
    }

    /// Captures frames that are never read.
    mutating func lose(milliseconds: Int) {
        card.lose(format.sampleRate * milliseconds / 1000)
        pipeline.interrupt()
    }

    /// The nanoseconds from each true click to the decoded one, by the second in which it was captured.
    func offsets() throws -> [Int64: Int64] {
        let heard = try Clicks.instants(in: units, of: pipeline.track, epoch: epoch)
        return Dictionary(uniqueKeysWithValues: heard.map { ($0, $1.nanoseconds - $0 * 1_000_000_000) })
    }
}

@Suite struct MicrophonePipelineTests {
    private static let defaultFormat = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 2)

    @Test(
        arguments: [
            (defaultFormat, 150.0), (defaultFormat, -150.0),
            (SampleFormat(sample: .int32, sampleRate: 44_100, channelCount: 1), 150.0),
            (SampleFormat(sample: .float32, sampleRate: 16_000, channelCount: 2), -200.0),
        ])
    func aClickIsDecodedWithinAMillisecondOfItsInstant(format: SampleFormat, drift: Double) throws {
        var recording = try ClickRecording(format, drift: drift)
        try recording.run(seconds: 40)
        let offsets = try recording.offsets()
        #expect(offsets.count >= 38)
        #expect(offsets.filter { $0.key > 15 }.values.allSatisfy { abs($0) < 1_000_000 }, "\(offsets)")
        #expect(offsets.values.allSatisfy { abs($0) < 5_000_000 }, "\(offsets)")
    }

    @Test func timestampsAreContiguousWhateverTheCardsClock() throws {
        var recording = try ClickRecording(Self.defaultFormat, drift: 200)
        try recording.run(seconds: 10)
        let times = recording.units.map(\.presentationTime.ticks)
        #expect(times.count > 460)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
    }

    @Test func afterLostAudioClicksAreAtTheRightTimesAgain() throws {
        var recording = try ClickRecording(Self.defaultFormat, drift: 80)
        try recording.run(seconds: 12)
        recording.lose(milliseconds: 130)
        try recording.run(seconds: 6)
        let offsets = try recording.offsets()
        #expect(offsets.filter { $0.key > 20 }.values.allSatisfy { abs($0) < 1_500_000 }, "\(offsets)")
        #expect((125_000_000...135_000_000).contains(recording.pipeline.insertedSilence))
        let times = recording.units.map(\.presentationTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
    }

    @Test func afterSecondsOfLostAudioTheTimesJumpOnce() throws {
        var recording = try ClickRecording(Self.defaultFormat, drift: 0)
        try recording.run(seconds: 3)
        recording.lose(milliseconds: 3_000)
        try recording.run(seconds: 5)
        let times = recording.units.map(\.presentationTime.ticks)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 != 1024 }
        #expect(steps.count == 1)
        #expect(abs((steps.first ?? 0) - 3 * 48_000) < 2 * 1024)
        #expect(try recording.offsets().filter { $0.key > 12 }.values.allSatisfy { abs($0) < 3_000_000 })
    }

    @Test func nonsensicalTimesFromADeviceNeverTrap() throws {
        var random = SplitMix64(seed: 21)
        let pipeline = try MicrophonePipeline(
            AudioEncoder.Settings(), track: TrackID(0), epoch: MonotonicTime(nanoseconds: 5_000_000_000))
        pipeline.open(Self.defaultFormat)
        for _ in 0..<2_000 {
            let bytes = random.bytes(Int.random(in: 0..<400, using: &random))
            let instant = MonotonicTime(nanoseconds: Int64.random(in: .min ... .max, using: &random))
            _ = try pipeline.units(of: CapturedAudio(bytes: bytes, instant: instant))
        }
    }
}
