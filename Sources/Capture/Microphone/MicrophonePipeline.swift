import Codecs
import Media

/// Turns audio from a device into access units: resamples it to the capture clock and encodes it as AAC. Reads no clock itself.
/// Confined to one thread.
final class MicrophonePipeline {
    let track: Track
    private let encoder: AudioEncoder
    private let epoch: MonotonicTime
    private var resampler: Resampler
    private var timeline: AudioTimeline
    private var format: SampleFormat
    private var estimator: DriftEstimator
    /// The number of frames that the device has delivered.
    private var position: Int64 = 0
    /// Nanoseconds of silence that were inserted for lost audio.
    private(set) var insertedSilence: Int64 = 0

    /// Opens the encoder.
    init(_ settings: AudioEncoder.Settings, track id: TrackID, epoch: MonotonicTime) throws(CodecFailure) {
        encoder = try AudioEncoder(settings)
        track = Track(id: id, format: .aac(encoder.configuration))
        self.epoch = epoch
        resampler = Resampler(sampleRate: settings.sampleRate, channelCount: settings.channelCount)
        timeline = AudioTimeline(rate: settings.sampleRate)
        format = SampleFormat(
            sample: .float32, sampleRate: Int(settings.sampleRate.hertz), channelCount: settings.channelCount)
        estimator = DriftEstimator(sampleRate: format.sampleRate)
    }

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
        try push(audio.bytes, capturedAt: captured)
        return try encode()
    }

    private func push(_ bytes: [UInt8], capturedAt captured: Int64) throws(CodecFailure) {
        let correction = timeline.correction(
            for: captured &- resampler.heldNanoseconds, after: resampler.availableSampleCount, drift: estimator.drift)
        switch correction {
        case .begin:
            let settings = encoder.settings
            resampler = Resampler(sampleRate: settings.sampleRate, channelCount: settings.channelCount)
            timeline.begin(at: captured)
            try push(bytes[...])
        case .stretch(let partsPerMillion):
            resampler.stretch(partsPerMillion: partsPerMillion)
            try push(bytes[...])
        case .insertSilence(let nanoseconds):
            insertedSilence += nanoseconds
            // Zero bytes are silence in every format.
            try push([UInt8](repeating: 0, count: byteCount(of: nanoseconds))[...])
            try push(bytes[...])
        case .leaveOut(let nanoseconds):
            try push(bytes.dropFirst(byteCount(of: nanoseconds)))
        }
    }

    /// The bytes of whole frames, for one second at most: 192 kHz, eight channels and four bytes cannot overflow.
    private func byteCount(of nanoseconds: Int64) -> Int {
        Int(min(max(0, nanoseconds), 1_000_000_000)) * format.sampleRate / 1_000_000_000 * format.bytesPerFrame
    }

    private func push(_ bytes: ArraySlice<UInt8>) throws(CodecFailure) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(CodecFailure) in try resampler.push(bytes, of: format) }
        }
        try result.get()
    }

    private func encode() throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        while let frame = try resampler.take(encoder.samplesPerFrame), let time = timeline.take(frame.sampleCount) {
            units += try encoder.encode(frame, track: track.id, presentationTime: time)
        }
        return units
    }
}
