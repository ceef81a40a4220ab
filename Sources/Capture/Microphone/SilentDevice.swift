import Codecs
import Media

/// Silence in real time, where there is no microphone: a track on which nothing comes makes players wait, pictures and all.
final class SilentDevice: AudioDevice {
    let format: SampleFormat
    private let clock: PaceClock
    private let stopSignal: StopSignal
    private var next: MonotonicTime

    /// How much silence comes at a time.
    static let period: Int64 = 20_000_000

    init(_ settings: AudioEncoder.Settings, clock: PaceClock, stopSignal: StopSignal) {
        format = SampleFormat(
            sample: .float32, sampleRate: Int(settings.sampleRate.hertz), channelCount: settings.channelCount)
        self.clock = clock
        self.stopSignal = stopSignal
        next = clock.now()
    }

    /// Silence from now on.
    func begin() {
        next = clock.now()
    }

    /// The silence of the last 20 ms, when they have passed.
    func read() -> AudioReadResult {
        let start = next
        guard clock.wait(start + Self.period, stopSignal) else { return .nothing }
        guard clock.now() - start < 1_000_000_000 else {
            // The thread did not run for a second: that silence is not worth catching up on.
            next = clock.now()
            return .lost
        }
        // 20 ms are no whole number of frames at 22.05 kHz: counted from a common beginning, none is lost.
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
