import Codecs
import Media
import TestSupport
import Testing

@testable import Capture

/// A camera that sends a click at every whole second of true time as L16, and what a transcoder makes of it.
private struct ClickingCamera {
    private let clock: ClockRate
    private let format: SampleFormat
    private let transcoder: AudioTranscoder
    private var card: VirtualCard
    /// What is added to the capture times, in nanoseconds, as long as these are being corrected.
    var error = 0.0
    private(set) var units: [AccessUnit] = []

    init(sampleRate: Int32, channelCount: Int, drift: Double = 0) throws {
        clock = ClockRate(hertz: sampleRate)!
        format = SampleFormat(sample: .int16, sampleRate: Int(sampleRate), channelCount: channelCount)
        transcoder = try AudioTranscoder(
            .l16(sampleRate: clock, channelCount: channelCount), as: AudioEncoder.Settings(), track: TrackID(1))
        card = VirtualCard(sampleRate: Int(sampleRate), start: 5_003_000_000) { _ in drift }
    }

    var track: Track { transcoder.track }

    /// Sends packets of 20 ms for `seconds`. Their capture times are true to a tick.
    mutating func run(seconds: Double) throws {
        let frameCount = format.sampleRate / 50
        for _ in 0..<Int(seconds * 50) {
            let start = card.truth
            card.advance(by: frameCount)
            // By at most 0.5 % of the elapsed time.
            error -= min(100_000, max(-100_000, error))
            let native = Clicks(format: format).bytes(frameCount, from: start, to: card.truth)
            let bytes = stride(from: 0, to: native.count, by: 2).flatMap { [native[$0 + 1], native[$0]] }
            let time = MediaTime(ticks: clock.ticks(inNanoseconds: Int64(start + error)), rate: clock)
            let unit = AccessUnit(
                track: TrackID(1), presentationTime: time, decodeTime: time, isKeyframe: true, bytes: bytes,
                units: [0..<bytes.count])
            units += try transcoder.units(of: unit)
        }
    }

    mutating func lose(packets: Int) { card.lose(format.sampleRate / 50 * packets) }

    /// The nanoseconds from each true click to the decoded one, by the second in which it was captured.
    func offsets() throws -> [Int64: Int64] {
        let heard = try Clicks.instants(in: units, of: track, epoch: MonotonicTime(nanoseconds: 0))
        return Dictionary(uniqueKeysWithValues: heard.map { ($0, $1.nanoseconds - $0 * 1_000_000_000) })
    }
}

@Suite struct AudioTranscoderTests {
    @Test(arguments: [(48_000, 2, 0.0), (44_100, 2, 150), (16_000, 1, -200), (8_000, 1, 0)])
    func aClickKeepsItsCaptureTime(sampleRate: Int32, channelCount: Int, drift: Double) throws {
        var camera = try ClickingCamera(sampleRate: sampleRate, channelCount: channelCount, drift: drift)
        try camera.run(seconds: 30)
        let offsets = try camera.offsets()
        #expect(offsets.count >= 28)
        #expect(offsets.values.allSatisfy { abs($0) < 2_000_000 }, "\(offsets)")
        let times = camera.units.map(\.presentationTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 }, "without a gap")
    }

    @Test func lostPacketsBecomeSilence() throws {
        var camera = try ClickingCamera(sampleRate: 16_000, channelCount: 1)
        try camera.run(seconds: 4.5)
        camera.lose(packets: 1)
        try camera.run(seconds: 4)
        camera.lose(packets: 20)
        try camera.run(seconds: 4)
        camera.lose(packets: 200)
        try camera.run(seconds: 4)
        let offsets = try camera.offsets()
        #expect(offsets.count >= 14)
        #expect(offsets.values.allSatisfy { abs($0) < 2_000_000 }, "\(offsets)")
        // Only the loss of four seconds leaves a gap.
        let times = camera.units.map(\.presentationTime.ticks)
        #expect(zip(times, times.dropFirst()).count { $1 - $0 != 1024 } == 1)
    }

    /// Sender reports may correct the first capture times by up to 250 ms, gradually.
    @Test(arguments: [60e6, -60e6]) func correctedCaptureTimesAreFollowedWithoutAGap(error: Double) throws {
        var camera = try ClickingCamera(sampleRate: 48_000, channelCount: 1)
        camera.error = error
        try camera.run(seconds: 20)
        let offsets = try camera.offsets()
        #expect(offsets.filter { $0.key > 20 }.values.allSatisfy { abs($0) < 2_000_000 }, "\(offsets)")
        let times = camera.units.map(\.presentationTime.ticks)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 }, "without a gap")
    }

    @Test func allAudioThatViewersMayNotReceiveHasADecoder() throws {
        let settings = AudioEncoder.Settings()
        let configuration = AAC.AudioSpecificConfig(bytes: [0x12, 0x10], sampleRate: .audio48k, channelCount: 2)
        let carried: [Track.Format] = [
            .aac(configuration), .opus(channelCount: 2), .g711(G711(.a, sampleRate: .telephony, channelCount: 1)!),
            .g711(G711(.mu, sampleRate: .telephony, channelCount: 1)!),
        ]
        for format in carried { _ = try AudioTranscoder(format, as: settings, track: TrackID(0)) }
        let transcoder = try AudioTranscoder(.g722, as: settings, track: TrackID(3))
        #expect(transcoder.track.codec == .aac)
        #expect(transcoder.track.id == TrackID(3))
        #expect(transcoder.track.clockRate == .audio48k)
    }

    /// Whatever the bytes are, G.722 has two samples in each.
    @Test func randomBytesOfG722KeepTheirDuration() throws {
        var settings = AudioEncoder.Settings()
        settings.channelCount = 1
        let transcoder = try AudioTranscoder(.g722, as: settings, track: TrackID(0))
        var random = SplitMix64(seed: 7)
        var units: [AccessUnit] = []
        for index in 0..<500 {
            let time = MediaTime(ticks: Int64(index) * 160, rate: .telephony)
            units += try transcoder.units(
                of: AccessUnit(
                    track: TrackID(0), presentationTime: time, decodeTime: time, isKeyframe: true,
                    bytes: random.bytes(160), units: [0..<160]))
        }
        // Ten seconds, less what the encoder holds.
        #expect((465...469).contains(units.count), "\(units.count)")
        #expect(units.last.map { $0.presentationTime.nanoseconds > 9_900_000_000 } == true)
    }
}
