import Codecs
import Media
import Testing

@Suite struct ResamplerTests {
    @Test(arguments: [-200, -1, 0, 35, 200])
    func audioIsStretchedByPartsPerMillion(partsPerMillion: Int) throws {
        let format = SampleFormat(sample: .int16, sampleRate: 48_000, channelCount: 1)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 1)
        let period = [UInt8](repeating: 0, count: 4_800 * format.bytesPerFrame)
        for _ in 0..<1_000 {
            resampler.stretch(partsPerMillion: partsPerMillion)
            try period.withUnsafeBytes { try resampler.push($0, of: format) }
        }
        let held = Int(ClockRate.audio48k.ticks(inNanoseconds: resampler.heldNanoseconds))
        let expected = 4_800_000 + 48 * partsPerMillion / 10
        // libswresample rounds to whole steps: an error of at most one part per million, which the drift control corrects.
        #expect(abs(resampler.availableSampleCount + held - expected) <= 5)
    }

    @Test(arguments: SampleFormat.Sample.allCases, [16_000, 44_100, 48_000])
    func everySampleFormatIsAccepted(sample: SampleFormat.Sample, sampleRate: Int) throws {
        let format = SampleFormat(sample: sample, sampleRate: sampleRate, channelCount: 2)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 2)
        let second = [UInt8](repeating: 0, count: sampleRate * format.bytesPerFrame)
        try second.withUnsafeBytes { try resampler.push($0, of: format) }
        try resampler.finish()
        #expect(abs(resampler.availableSampleCount - 48_000) <= 64)
    }

    @Test func anIncompleteFrameIsIgnored() throws {
        let format = SampleFormat(sample: .float32, sampleRate: 48_000, channelCount: 2)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 2)
        try [UInt8](repeating: 0, count: 7).withUnsafeBytes { try resampler.push($0, of: format) }
        try [UInt8]().withUnsafeBytes { try resampler.push($0, of: format) }
        #expect(resampler.availableSampleCount == 0)
    }
}
