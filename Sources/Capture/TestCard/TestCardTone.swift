import Codecs
import Glibc
import Media

/// Generates the test card's audio: silence, and a 1 kHz beep that begins with each flash.
struct TestCardTone: Sendable {
    static let frequency = 1000.0
    private static let amplitude = 0.4
    /// The beep fades in and out for this many seconds, to avoid clicks.
    private static let ramp = 0.001

    let timeline: TestCardTimeline
    let rate: ClockRate

    /// Writes the samples of all channels, starting at `tick` of the track's clock.
    ///
    /// A frame is shorter than a second and therefore contains at most one beep: the last one that starts before the frame's end.
    func fill(_ frame: AudioFrame, from tick: Int64) {
        for channel in 0..<frame.channelCount { frame[channel].update(repeating: 0) }
        let end = rate.nanoseconds(inTicks: tick + Int64(frame.sampleCount))
        guard let start = timeline.flashStart(at: end) else { return }
        let first = rate.ticks(inNanoseconds: start) + 1
        let last = rate.ticks(inNanoseconds: start + TestCardTimeline.flashNanoseconds)
        let samples = max(first, tick)..<max(first, tick, min(last, tick + Int64(frame.sampleCount)))
        for sample in samples {
            let level = level(at: Double(sample - first) / Double(rate.hertz))
            for channel in 0..<frame.channelCount { frame[channel][Int(sample - tick)] = level }
        }
    }

    /// The sample at `seconds` after the start of a beep.
    private func level(at seconds: Double) -> Float {
        let end = Double(TestCardTimeline.flashNanoseconds) / 1e9
        let envelope = min(1, min(seconds, end - seconds) / Self.ramp)
        return Float(Self.amplitude * max(0, envelope) * sin(2 * .pi * Self.frequency * seconds))
    }
}
