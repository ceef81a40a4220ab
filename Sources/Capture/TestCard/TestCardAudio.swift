import Codecs
import Media

/// The test card's sound, coded. Confined to one thread.
///
/// An AAC encoder hands out a unit two frames after its first sample went in. A microphone would have to bear that; a
/// generator knows the future and runs ahead, so that units leave in the order of their presentation with the pictures'.
final class TestCardAudio {
    private let encoder: AudioEncoder
    private var tone: TestCardTone
    /// First sample of the next frame to go in, and of the next unit to come out, in ticks; `nil` before the start.
    private var next: (input: Int64, output: Int64)?

    init(_ settings: AudioEncoder.Settings, timeline: TestCardTimeline) throws(CodecFailure) {
        encoder = try AudioEncoder(settings)
        tone = TestCardTone(timeline: timeline, rate: settings.sampleRate)
    }

    var track: Track {
        Track(
            id: TestCardPipeline.audioTrack, clockRate: encoder.settings.sampleRate,
            format: .aac(encoder.configuration))
    }

    /// Beeps at the flashes of another grid of pictures, from the next samples on.
    func follow(_ timeline: TestCardTimeline) {
        tone = TestCardTone(timeline: timeline, rate: encoder.settings.sampleRate)
    }

    /// The units whose first sample is not after `instant`, in nanoseconds since the epoch; the first call starts the sound there.
    func units(until instant: Int64) throws(CodecFailure) -> [AccessUnit] {
        let due = encoder.settings.sampleRate.ticks(inNanoseconds: instant)
        var (input, output) = next ?? (due, due)
        // Half a second late, it leaves out whole frames: catching up would be a burst of stale sound.
        if due - input > Int64(encoder.settings.sampleRate.hertz) / 2 { input += (due - input) / length * length }
        var units: [AccessUnit] = []
        while output <= due {
            let encoded = try encode(from: input)
            input += length
            if let last = encoded.last { output = last.presentationTime.ticks + length }
            units += encoded
        }
        next = (input, output)
        return units
    }

    /// Samples of a frame.
    private var length: Int64 { Int64(encoder.samplesPerFrame) }

    private func encode(from tick: Int64) throws(CodecFailure) -> [AccessUnit] {
        let settings = encoder.settings
        let samples = try AudioFrame(
            sampleCount: encoder.samplesPerFrame, channelCount: settings.channelCount,
            sampleRate: settings.sampleRate)
        tone.fill(samples, from: tick)
        return try encoder.encode(
            samples, track: TestCardPipeline.audioTrack,
            presentationTime: MediaTime(ticks: tick, rate: settings.sampleRate))
    }
}
