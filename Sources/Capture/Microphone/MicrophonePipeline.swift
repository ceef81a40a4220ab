import Codecs
import Media

/// Turns audio from a device into access units: resamples it to the capture clock and encodes it as AAC. Reads no clock itself.
/// Confined to one thread.
final class MicrophonePipeline {
    private let stage: AudioEncodingStage
    private let epoch: MonotonicTime
    private var format: SampleFormat
    private var estimator: DriftEstimator
    /// The number of frames that the device has delivered.
    private var position: Int64 = 0

    /// Opens the encoder.
    init(_ settings: AudioEncoder.Settings, track id: TrackID, epoch: MonotonicTime) throws(CodecFailure) {
        stage = try AudioEncodingStage(settings, track: id, following: .device)
        self.epoch = epoch
        format = SampleFormat(
            sample: .float32, sampleRate: Int(settings.sampleRate.hertz), channelCount: settings.channelCount)
        estimator = DriftEstimator(sampleRate: format.sampleRate)
    }

    var track: Track { stage.track }
    /// Nanoseconds of silence that were inserted for lost audio.
    var insertedSilence: Int64 { stage.insertedSilence }
    /// How many millionths the device's clock runs fast.
    var drift: Double { estimator.drift }
    /// Whether the device delivers more audio than real time allows.
    var isFasterThanRealTime: Bool { estimator.isFasterThanRealTime }

    /// Prepares for audio from another device, or from the same one after reopening.
    func open(_ format: SampleFormat) {
        self.format = format
        estimator = DriftEstimator(sampleRate: format.sampleRate)
        position = 0
    }

    /// Audio was lost before the next units.
    func interrupt() {
        estimator.interrupt()
    }

    /// The finished access units after adding `audio`, each with the capture time of its first sample.
    func units(of audio: CapturedAudio) throws(CodecFailure) -> [AccessUnit] {
        estimator.observe(sample: position, capturedAt: audio.instant)
        let captured = (estimator.instant(ofSample: position) ?? audio.instant) - epoch
        position += Int64(audio.bytes.count / format.bytesPerFrame)
        return try stage.units(capturedAt: captured, drift: estimator.drift) { (resampler) throws(CodecFailure) in
            let result = audio.bytes.withUnsafeBytes { bytes in
                Result { () throws(CodecFailure) in try resampler.push(bytes, of: format) }
            }
            try result.get()
        }
    }
}
