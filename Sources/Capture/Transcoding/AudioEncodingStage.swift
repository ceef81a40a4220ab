import Codecs
import Media

/// Encodes audio in step with the capture clock: resampled, without gaps, and with its capture times. Reads no clock itself.
/// Confined to one thread.
final class AudioEncodingStage {
    /// The track that viewers receive.
    let track: Track
    private let encoder: any AudioFrameEncoder
    private var resampler: Resampler
    private var timeline: AudioTimeline
    /// Nanoseconds of silence that were inserted for lost audio.
    private(set) var insertedSilence: Int64 = 0

    /// Opens an encoder of AAC.
    ///
    /// - Parameter policy: how the capture times are followed.
    convenience init(
        _ settings: AudioEncoder.Settings, track id: TrackID, following policy: AudioTimeline.Policy
    ) throws(CodecFailure) {
        self.init(by: try AudioEncoder(settings), track: id, following: policy)
    }

    init(by encoder: any AudioFrameEncoder, track id: TrackID, following policy: AudioTimeline.Policy) {
        self.encoder = encoder
        track = Track(id: id, format: encoder.format)
        resampler = Resampler(sampleRate: encoder.sampleRate, channelCount: encoder.channelCount)
        timeline = AudioTimeline(rate: encoder.sampleRate, policy: policy)
    }

    /// Adds audio, and returns the access units that are finished, each with the capture time of its first sample.
    ///
    /// - Parameters:
    ///   - captured: the capture time of its first sample, in nanoseconds since the epoch.
    ///   - drift: how many millionths the clock of the device runs fast, if that is known.
    ///   - push: pushes the audio into a resampler, once.
    func units(
        capturedAt captured: Int64, drift: Double = 0, _ push: (Resampler) throws(CodecFailure) -> Void
    ) throws(CodecFailure) -> [AccessUnit] {
        let correction = timeline.correction(
            for: captured &- resampler.heldNanoseconds, after: resampler.availableSampleCount, drift: drift)
        switch correction {
        case .begin:
            resampler = Resampler(sampleRate: encoder.sampleRate, channelCount: encoder.channelCount)
            timeline.begin(at: captured)
        case .stretch(let partsPerMillion):
            resampler.stretch(partsPerMillion: partsPerMillion)
        case .insertSilence(let nanoseconds):
            insertedSilence += nanoseconds
            resampler.appendSilence(sampleCount(in: nanoseconds))
        case .leaveOut(let nanoseconds):
            resampler.skip(sampleCount(in: nanoseconds))
        }
        try push(resampler)
        return try encode()
    }

    /// Samples of each channel, for one second at most.
    private func sampleCount(in nanoseconds: Int64) -> Int {
        Int(encoder.sampleRate.ticks(inNanoseconds: min(max(0, nanoseconds), 1_000_000_000)))
    }

    private func encode() throws(CodecFailure) -> [AccessUnit] {
        var units: [AccessUnit] = []
        while let frame = try resampler.take(encoder.samplesPerFrame), let time = timeline.take(frame.sampleCount) {
            units += try encoder.encode(frame, track: track.id, presentationTime: time)
        }
        return units
    }
}
