import Codecs
import Media

/// Generates and encodes the test card's audio. Confined to one thread.
///
/// An AAC encoder outputs a unit two frames after its first sample was put in. A generator can compensate for this delay by
/// running ahead, so that audio and video units leave in the order of their presentation times.
final class TestCardAudio {
    private let encoder: AudioEncoder
    private var tone: TestCardTone
    /// The first samples of the encoder's next input frame and of its next output unit, in ticks; `nil` before the start.
    private var next: (input: Int64, output: Int64)?

    init(_ settings: AudioEncoder.Settings, timeline: TestCardTimeline) throws(CodecFailure) {
        encoder = try AudioEncoder(settings)
        tone = TestCardTone(timeline: timeline, rate: settings.sampleRate)
    }

    var track: Track { Track(id: TestCardPipeline.audioTrack, format: .aac(encoder.configuration)) }

    /// Adopts a changed frame grid for the next beeps.
    func follow(_ timeline: TestCardTimeline) {
        tone = TestCardTone(timeline: timeline, rate: encoder.settings.sampleRate)
    }

    /// The units that start at or before `instant`, in nanoseconds since the epoch. The first call starts the audio
    /// there.
    func units(until instant: Int64) throws(CodecFailure) -> [AccessUnit] {
        let due = encoder.settings.sampleRate.ticks(inNanoseconds: instant)
        var (input, output) = next ?? (due, due)
        // If it is half a second late, it skips whole frames instead of sending a burst of old audio.
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

    /// The samples in a frame.
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
