import Codecs
import Foundation
import Media
import Streams
import TestSupport
import Testing

@testable import Capture

/// Configures ALSA's own replacements for hardware: `null`, and `file`, which delivers a file's contents.
///
/// The configuration is installed once, before the process first uses the library.
private enum ALSAConfiguration {
    static let folder = try? TemporaryFolder()

    /// Interleaved stereo with 16 bits: a ramp, so that every sample shows its position.
    static let ramp: [UInt8] = (0..<24_000).flatMap { index in
        withUnsafeBytes(of: Int16(truncatingIfNeeded: index).littleEndian) { Array($0) + Array($0) }
    }

    static let isReady: Bool = {
        guard let folder else { return false }
        let configuration = """
            pcm.null { type null }
            pcm.ramp { type file slave.pcm "null" file "/dev/null" infile "\(folder.file("ramp.raw"))" format "raw" }
            """
        do {
            try Data(ramp).write(to: URL(filePath: folder.file("ramp.raw")))
            try folder.write(configuration, to: "asound.conf")
        } catch {
            return false
        }
        return setenv("ALSA_CONFIG_PATH", folder.file("asound.conf"), 1) == 0
    }()
}

@Suite(.serialized) struct ALSADeviceTests {
    private static let wanted = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 2)

    @Test func aDeviceIsReadInItsOwnFormat() throws {
        #expect(ALSAConfiguration.isReady)
        let device = try ALSADevice("ramp", near: Self.wanted)
        #expect(device.format == Self.wanted)
        var bytes: [UInt8] = []
        while bytes.count < 40_000, case .audio(let audio) = try device.read() {
            #expect(audio.bytes.count.isMultiple(of: device.format.bytesPerFrame))
            let age = MonotonicTime.now() - audio.instant
            #expect((0...5_000_000_000).contains(age), "captured a moment ago")
            bytes += audio.bytes
        }
        #expect(bytes.count >= 40_000)
        #expect(bytes.prefix(40_000) == ALSAConfiguration.ramp.prefix(40_000))
    }

    @Test func audioIsReadInPeriodsOfAtMostTenMilliseconds() throws {
        #expect(ALSAConfiguration.isReady)
        let device = try ALSADevice("null", near: Self.wanted)
        guard case .audio(let audio) = try device.read() else {
            Issue.record("null always has audio")
            return
        }
        #expect(audio.bytes.count <= 4 * 480 * 4)
    }

    @Test func aMissingDeviceIsReportedWithARemedy() {
        #expect(ALSAConfiguration.isReady)
        let failure = #expect(throws: SourceFailure.self) { try ALSADevice("hw:77", near: Self.wanted) }
        #expect(failure?.reason == "there is no microphone hw:77")
        #expect(failure?.remedy.contains("audio.device") == true)
    }

    @Test func aDeviceReportsItsRatesAndChannels() {
        #expect(ALSAConfiguration.isReady)
        let description = MicrophoneDescription(asking: "null", name: "null", description: "ALSA's null device")
        #expect(description.problem == nil)
        #expect(description.sampleRates.contains(48_000))
        #expect(description.channelCounts?.contains(2) == true)
        let absent = MicrophoneDescription(asking: "absent", name: "absent", description: "")
        #expect(absent.sampleRates.isEmpty && absent.channelCounts == nil && absent.problem != nil)
    }

    @Test func everyMicrophoneOfThisHostHasAName() {
        #expect(ALSAConfiguration.isReady)
        #expect(MicrophoneDescription.all().allSatisfy { $0.name.hasPrefix("plughw:CARD=") })
    }

    @Test func theNullDeviceIsRecognisedAsNoMicrophone() throws {
        #expect(ALSAConfiguration.isReady)
        let device = try ALSADevice("null", near: Self.wanted)
        let pipeline = try MicrophonePipeline(AudioEncoder.Settings(), track: TrackID(0), epoch: .now())
        pipeline.open(device.format)
        for _ in 0..<100_000 where !pipeline.isFasterThanRealTime {
            if case .audio(let audio) = try device.read() { _ = try pipeline.units(of: audio) }
        }
        #expect(pipeline.isFasterThanRealTime)
    }
}
