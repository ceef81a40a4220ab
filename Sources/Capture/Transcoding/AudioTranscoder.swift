import Codecs
import Media

/// Decodes received audio and encodes it as AAC with the rate and channels of its settings, or as Opus. Capture times are kept: lost audio becomes
/// silence, and a clock that runs fast or slow is followed by resampling. Confined to one thread.
public final class AudioTranscoder {
    private let stage: AudioEncodingStage
    private let decoder: AudioDecoder

    /// Transcodes access units of this format.
    public convenience init(
        _ format: Track.Format, as settings: AudioEncoder.Settings, track id: TrackID
    ) throws(CodecFailure) {
        try self.init(try AudioDecoder(format), settings, id)
    }

    /// Transcodes what viewers cannot receive.
    public convenience init(
        _ format: TranscodedFormat.Audio, as settings: AudioEncoder.Settings, track id: TrackID
    ) throws(CodecFailure) {
        try self.init(try AudioDecoder(format), settings, id)
    }

    /// Transcodes access units of this format to Opus.
    public init(
        _ format: Track.Format, asOpusAt bitrate: Int, track id: TrackID
    ) throws(CodecFailure) {
        decoder = try AudioDecoder(format)
        let encoder = try OpusEncoder(channelCount: format.channelCount ?? 2, bitrate: bitrate)
        stage = AudioEncodingStage(by: encoder, track: id, following: .received)
    }

    private init(_ decoder: AudioDecoder, _ settings: AudioEncoder.Settings, _ id: TrackID) throws(CodecFailure) {
        self.decoder = decoder
        stage = try AudioEncodingStage(settings, track: id, following: .received)
    }

    /// The track that viewers receive.
    public var track: Track { stage.track }

    /// The access units that are finished after adding `unit`, none if it is damaged. Each has the capture time of its first sample.
    public func units(of unit: AccessUnit) throws(CodecFailure) -> [AccessUnit] {
        let rate = unit.presentationTime.rate
        var units: [AccessUnit] = []
        for audio in try decoder.decode(unit) {
            let time = audio.presentationTime.map { MediaTime(ticks: $0, rate: rate) } ?? unit.presentationTime
            units += try stage.units(capturedAt: time.nanoseconds) { (resampler) throws(CodecFailure) in
                try resampler.push(audio)
            }
        }
        return units
    }
}
