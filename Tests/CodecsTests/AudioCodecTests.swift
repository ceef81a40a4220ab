import Codecs
import Media
import Testing

/// `count` frames with a click: `value` in ten samples from `click` on, silence elsewhere.
private func frames(_ count: Int, clickAt click: Int) throws -> [AudioFrame] {
    try (0..<count).map { number in
        let frame = try AudioFrame(sampleCount: 1024, channelCount: 2, sampleRate: .audio48k)
        for channel in 0..<2 {
            for index in 0..<1024 {
                frame[channel][index] = (click..<click + 10).contains(number * 1024 + index) ? 0.8 : 0
            }
        }
        return frame
    }
}

/// All access units of `frames`; the first sample is at `start`.
private func encode(_ frames: [AudioFrame], start: Int64) throws -> (AudioEncoder, [AccessUnit]) {
    let encoder = try AudioEncoder(AudioEncoder.Settings())
    var units: [AccessUnit] = []
    for (number, frame) in frames.enumerated() {
        let time = MediaTime(ticks: start + Int64(number) * 1024, rate: .audio48k)
        units += try encoder.encode(frame, track: TrackID(1), presentationTime: time)
    }
    units += try encoder.finish(track: TrackID(1))
    return (encoder, units)
}

@Suite struct AudioCodecTests {
    @Test func theConfigurationIsAACLC() throws {
        let encoder = try AudioEncoder(AudioEncoder.Settings())
        let parsed = try #require(AAC.AudioSpecificConfig(parsing: encoder.configuration.bytes))
        #expect(parsed == encoder.configuration)
        #expect(parsed.sampleRate == .audio48k && parsed.channelCount == 2)
        #expect(encoder.configuration.bytes[0] >> 3 == 2, "audio object type 2 is AAC-LC")
        #expect(encoder.samplesPerFrame == AAC.samplesPerAccessUnit)
    }

    @Test func accessUnitsHaveNoGapsFromTheFirstSampleOn() throws {
        let (_, units) = try encode(frames(20, clickAt: 0), start: 7_777)
        #expect(units.count == 20)
        let starts: [Int64] = (0..<20).map { 7_777 + $0 * 1024 }
        #expect(units.map(\.presentationTime.ticks) == starts)
        #expect(units.allSatisfy { $0.isKeyframe && $0.units.count == 1 })
    }

    @Test func aJumpInInputTimesIsKept() throws {
        let encoder = try AudioEncoder(AudioEncoder.Settings())
        let starts: [Int64] = (0..<10).map { $0 < 5 ? $0 * 1024 : $0 * 1024 + 48_000 }
        var times: [Int64] = []
        for (start, frame) in zip(starts, try frames(10, clickAt: 0)) {
            let time = MediaTime(ticks: start, rate: .audio48k)
            times += try encoder.encode(frame, track: TrackID(1), presentationTime: time)
                .map(\.presentationTime.ticks)
        }
        #expect(times == Array(starts.prefix(times.count)))
        #expect(times.count >= 8)
    }

    @Test(arguments: [2_048, 5_000, 9_999])
    func aClickIsDecodedAtItsTime(click: Int) throws {
        let (encoder, units) = try encode(frames(16, clickAt: click), start: 48_000)
        let decoder = try AudioDecoder(encoder.configuration)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 2)
        var first: Int64?
        for unit in units {
            for audio in try decoder.decode(unit) {
                first = first ?? audio.presentationTime
                try resampler.push(audio)
            }
        }
        try resampler.finish()
        let heard = try #require(try resampler.take(resampler.availableSampleCount))
        let loudest = try #require((0..<heard.sampleCount).max { abs(heard[0][$0]) < abs(heard[0][$1]) })
        let instant = Int(try #require(first)) - 48_000 + loudest
        #expect(abs(instant - click - 5) < 24, "within half a millisecond")
    }

    @Test func surroundAudioIsMixedDownAndResampledToStereo() throws {
        var settings = AudioEncoder.Settings()
        (settings.sampleRate, settings.channelCount) = (try #require(ClockRate(hertz: 44_100)), 6)
        let encoder = try AudioEncoder(settings)
        let decoder = try AudioDecoder(encoder.configuration)
        let resampler = Resampler(sampleRate: .audio48k, channelCount: 2)
        let frame = try AudioFrame(sampleCount: 1024, channelCount: 6, sampleRate: settings.sampleRate)
        for channel in 0..<6 { frame[channel].update(repeating: 0.1) }
        for number in 0..<44 {
            let time = MediaTime(ticks: Int64(number) * 1024, rate: settings.sampleRate)
            for unit in try encoder.encode(frame, track: TrackID(1), presentationTime: time) {
                for audio in try decoder.decode(unit) { try resampler.push(audio) }
            }
        }
        try resampler.finish()
        let seconds = Double(resampler.availableSampleCount) / 48_000
        #expect(abs(seconds - 42 * 1024.0 / 44_100) < 0.03)
        #expect(try resampler.take()?.channelCount == 2)
    }

    @Test(arguments: [(0, 128_000), (9, 128_000)])
    func invalidAudioFormatsAreRejected(channelCount: Int, bitrate: Int) {
        var settings = AudioEncoder.Settings()
        (settings.channelCount, settings.bitrate) = (channelCount, bitrate)
        #expect(throws: CodecFailure.self) { try AudioEncoder(settings) }
    }
}
