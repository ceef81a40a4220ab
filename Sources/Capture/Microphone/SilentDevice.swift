import Codecs
import Media

/// Silence in real time, which replaces an absent microphone. Without it, players would wait for audio and show no video.
final class SilentDevice: AudioDevice {
    let format: SampleFormat
    private let clock: PaceClock
    private let stopSignal: StopSignal
    private var next: MonotonicTime

    /// The duration of one read.
    static let period: Int64 = 20_000_000

    init(_ settings: AudioEncoder.Settings, clock: PaceClock, stopSignal: StopSignal) {
        format = SampleFormat(
            sample: .float32, sampleRate: Int(settings.sampleRate.hertz), channelCount: settings.channelCount)
        self.clock = clock
        self.stopSignal = stopSignal
        next = clock.now()
    }

    /// Restarts the silence from now.
    func begin() {
        next = clock.now()
    }

    /// The silence of the last 20 ms, once they have passed.
    func read() -> AudioReadResult {
        let start = next
        guard clock.wait(start + Self.period, stopSignal) else { return .nothing }
        guard clock.now() - start < 1_000_000_000 else {
            // The thread did not run for a second: catching up on silence is pointless.
            next = clock.now()
            return .lost
        }
        // At 22.05 kHz, 20 ms are not a whole number of frames. Counting from a common origin avoids losing frames.
        let frameCount = frames(until: start + Self.period) - frames(until: start)
        next = start + Self.period
        return .audio(
            CapturedAudio(bytes: [UInt8](repeating: 0, count: frameCount * format.bytesPerFrame), instant: start))
    }

    private func frames(until instant: MonotonicTime) -> Int {
        Int(instant.nanoseconds / 1_000_000_000) * format.sampleRate
            + Int(instant.nanoseconds % 1_000_000_000) * format.sampleRate / 1_000_000_000
    }
}
